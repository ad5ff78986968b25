/*
 * Instructions that set all arithmetic flags, whatever these were before. The branch counter may
 * destroy the flags before such an instruction. If the program stops between the counter and the
 * instruction, the old flags are lost, so this computes the instruction, and the program then
 * stands after it. Pure: never touches a tracee.
 */
#ifndef WORKER_X86_FLAGWRITER_H
#define WORKER_X86_FLAGWRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

/*
 * True for an instruction that writes the flags O, S, Z, A and P, reads none of them, can neither
 * fault nor touch memory, and that flagwriter_apply knows. C it writes too, or leaves alone.
 */
bool flagwriter_is(const uint8_t *bytes, size_t length);

/* Does it: operands and flags in *regs, rip one instruction further. */
void flagwriter_apply(const uint8_t *bytes, size_t length, struct user_regs_struct *regs);

/* The flags of FLAG_STATUS that cmp and test set for two values of so many bytes. */
uint64_t flagwriter_compare(uint64_t a, uint64_t b, unsigned size);
uint64_t flagwriter_test(uint64_t a, uint64_t b, unsigned size);

#endif
