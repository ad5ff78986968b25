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

enum bytecode_opcode {
	OP_ADD = 0x02,
	OP_SUB = 0x03,
	OP_MUL = 0x04,
	OP_DIV_SIGNED = 0x05,
	OP_DIV_UNSIGNED = 0x06,
	OP_REM_SIGNED = 0x07,
	OP_REM_UNSIGNED = 0x08,
	OP_LSH = 0x09,
	OP_RSH_SIGNED = 0x0a,
	OP_RSH_UNSIGNED = 0x0b,
	OP_LOG_NOT = 0x0e,
	OP_BIT_AND = 0x0f,
	OP_BIT_OR = 0x10,
	OP_BIT_XOR = 0x11,
	OP_BIT_NOT = 0x12,
	OP_EQUAL = 0x13,
	OP_LESS_SIGNED = 0x14,
	OP_LESS_UNSIGNED = 0x15,
	OP_EXT = 0x16,
	OP_REF8 = 0x17,
	OP_REF16 = 0x18,
	OP_REF32 = 0x19,
	OP_REF64 = 0x1a,
	OP_IF_GOTO = 0x20,
	OP_GOTO = 0x21,
	OP_CONST8 = 0x22,
	OP_CONST16 = 0x23,
	OP_CONST32 = 0x24,
	OP_CONST64 = 0x25,
	OP_REG = 0x26,
	OP_END = 0x27,
	OP_DUP = 0x28,
	OP_POP = 0x29,
	OP_ZERO_EXT = 0x2a,
	OP_SWAP = 0x2b,
};

/* What an expression is asked about. regs: NULL if it may ask for none. read: `size` bytes at an
 * address; false if it cannot. */
struct bytecode_world {
	const struct user_regs_struct *regs;
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	void *context;
	/* An expression looks at `mark`, which is KEYMARK or KEYMARK_VALUE, with this value below
	 * on the stack. NULL: it may not. */
	void (*note)(void *context, uint64_t mark, uint64_t value);
};

enum truth_value {
	TRUTH_FALSE,
	TRUTH_TRUE,
	TRUTH_UNKNOWN, /* it fails, or asks for what is not here: floating point, for example */
};

enum truth_value bytecode_evaluate(
    const uint8_t *code, size_t length, const struct bytecode_world *world);

#endif
