/*
 * gdb's agent expressions, in which it hands the condition of a breakpoint to rr ("Bytecode
 * Descriptions" in gdb's manual). We only need to know when one certainly does not hold; rr and gdb
 * judge all others. Pure, but for the memory that the caller reads.
 */
#ifndef RR_WARDEN_SOFTPMU_BYTECODE_H
#define RR_WARDEN_SOFTPMU_BYTECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

/* What an expression is asked about. read: `size` bytes at an address; false if it cannot. */
struct bytecode_world {
	const struct user_regs_struct *regs;
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	void *context;
};

enum truth_value {
	TRUTH_FALSE,
	TRUTH_TRUE,
	TRUTH_UNKNOWN, /* it fails, or asks for what is not here: floating point, for example */
};

enum truth_value bytecode_evaluate(
    const uint8_t *code, size_t length, const struct bytecode_world *world);

#endif
