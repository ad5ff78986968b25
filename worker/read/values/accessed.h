#ifndef WORKER_ACCESSED_H
#define WORKER_ACCESSED_H
/*
 * The memory that an instruction accesses with the program's present registers.
 */
#include "worker/x86/operand.h"
#include "worker/session/replay.h"

/* The value of a numeric expression in the selected frame. */
bool accessed_number(struct replay *replay, const char *expression, unsigned long long *number);

/* The same in the innermost frame of a thread, by gdb's number, in C. */
bool accessed_thread_number(
    struct replay *replay, int thread, const char *expression, unsigned long long *number);

/* Bytes at an address; fewer at the end of what is mapped. */
size_t accessed_bytes(
    struct replay *replay, unsigned long long address, uint8_t *bytes, size_t most);

/* All of that many bytes; false if some of them are not mapped. */
bool accessed_whole(struct replay *replay, unsigned long long address, void *bytes, size_t size);

/* The same also after an interrupt: what the software counter has found until then is the answer.
 */
bool accessed_in_any_case(
    struct replay *replay, unsigned long long address, void *bytes, size_t size);

/* Decodes the instruction at an address; false: there is none. */
bool accessed_instruction(
    struct replay *replay, unsigned long long pc, struct instruction *instruction);

/* The address of an operand of an instruction that is about to run; `lane` is 0 except for a
 * gather. */
bool accessed_address(struct replay *replay, const struct memory_operand *operand, unsigned lane,
    unsigned long long *address);

/* Whether the operand's mask lets it access that element; true without a mask, and if the mask
 * cannot be read. */
bool accessed_is_selected(
    struct replay *replay, const struct memory_operand *operand, unsigned element);

/* The value of a general register by its name, `size` bytes of it. */
bool accessed_register(
    struct replay *replay, const char *name, unsigned size, unsigned long long *value);

enum accessed_touch { ACCESSED_NOT, ACCESSED_MAYBE, ACCESSED_YES };
enum accessed_when { ACCESSED_AHEAD, ACCESSED_BEHIND };

/* Whether an instruction, which is about to run or has just run, accesses one of those bytes. A
 * processor may stop at a watched byte that a mask leaves out. MAYBE: the mask cannot be read. YES
 * too where it cannot be told, because the instruction is over and has changed its registers, or
 * because it has no operand in memory: then the kernel accessed them. */
enum accessed_touch accessed_touches(struct replay *replay, const struct instruction *instruction,
    enum accessed_when when, unsigned long long address, unsigned long long size);

/* The same for one of its operands. */
enum accessed_touch accessed_operand_touches(struct replay *replay,
    const struct memory_operand *operand, enum accessed_when when, unsigned long long address,
    unsigned long long size);

/* Whether a processor may stop at bytes beside those that the instruction accesses. Plain accesses
 * are known to be exact. */
bool accessed_can_mislead(const struct instruction *instruction);

/* Whether the instruction at the program counter, which is about to run, writes to that byte. */
bool accessed_is_written(struct replay *replay, unsigned long long address);

#endif
