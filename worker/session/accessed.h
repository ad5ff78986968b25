#ifndef WORKER_ACCESSED_H
#define WORKER_ACCESSED_H
/*
 * The memory that an instruction accesses in the program as it stands: its operands with the
 * registers' values in them.
 */
#include "worker/session/operand.h"
#include "worker/session/replay.h"

/* The value of an expression that is a number, in the selected frame. */
bool accessed_number(struct replay *replay, const char *expression, unsigned long long *number);

/* Bytes at an address; fewer at the end of what is mapped. */
size_t accessed_bytes(
    struct replay *replay, unsigned long long address, uint8_t *bytes, size_t most);

/* Decodes what stands at an address; false: no instruction. */
bool accessed_instruction(
    struct replay *replay, unsigned long long pc, struct instruction *instruction);

/* Where an operand lies, of an instruction that is about to run; `lane` is 0 but for a gather's. */
bool accessed_address(struct replay *replay, const struct memory_operand *operand, unsigned lane,
    unsigned long long *address);

/* Whether the instruction at the program counter, which is about to run, writes to that byte. */
bool accessed_is_written(struct replay *replay, unsigned long long address);

#endif
