/*
 * Finds where straight-line execution ends: from an address, over plain instructions, direct jumps
 * and direct calls, to the first instruction whose successor is not known beforehand.
 * Never touches a tracee itself: the bytes come through a reader.
 */
#ifndef WORKER_X86_DECODE_H
#define WORKER_X86_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "worker/x86/branch.h"

enum {
	DECODE_INSTRUCTION_MAX = 15,	/* bytes, the processor's limit */
	DECODE_BLOCK_INSTRUCTIONS = 96, /* a block is cut after so many */
	DECODE_BLOCK_SEGMENTS = 6,	/* and after so many jumps */
};

/* Reads up to length bytes of code at address; returns how many were there (0: not readable). */
typedef size_t (*code_reader)(void *context, uint64_t address, uint8_t *bytes, size_t length);

enum block_end {
	END_CONDITIONAL, /* both successors known */
	END_INDIRECT,	 /* successor follows from registers and memory */
	END_SYSCALL,	 /* the 64-bit syscall instruction */
	END_TRAP,	 /* int3, int1: stops by itself, one byte further */
	END_STEP,	 /* let the hardware step it: unreadable, invalid, privileged, odd */
	END_CUT,	 /* a plain instruction: the block only grew too long */
};

enum indirect_source { INDIRECT_RETURN, INDIRECT_REGISTER, INDIRECT_MEMORY };

enum { REGISTER_NONE = 0xff };

struct indirect {
	enum indirect_source source;
	uint8_t base; /* register number as encoded, or REGISTER_NONE */
	uint8_t index;
	uint8_t scale;
	uint8_t segment;      /* 0, or 'f' or 'g' */
	int64_t displacement; /* absolute when rip-relative */
};

/* The instruction a block ends with. */
struct ending {
	enum block_end kind;
	bool counts;	/* a conditional branch: one tick when it retires */
	uint8_t length; /* bytes; 0 when it could not be read */
	uint8_t address_bits;
	enum branch_condition condition; /* of END_CONDITIONAL */
	uint64_t target;		 /* of END_CONDITIONAL */
	struct indirect indirect;	 /* of END_INDIRECT */
};

struct segment {
	uint64_t start, end; /* [start, end) */
};

struct block {
	uint64_t start, end; /* end: the address of the ending instruction */
	struct ending ending;
	unsigned segments;
	struct segment segment[DECODE_BLOCK_SEGMENTS + 1]; /* include the ending instruction */
};

/*
 * Decodes the block that begins at start. Always returns one, at worst an END_STEP at start.
 * cut_writes: the program can write to this code, so the block ends after every instruction that
 * writes memory, and the next code is read again before it runs.
 */
void decode_block(
    code_reader reader, void *context, uint64_t start, bool cut_writes, struct block *block);

/* Decodes the instruction at address alone, as a block of one. */
void decode_instruction(code_reader reader, void *context, uint64_t address, struct block *block);

/* The value of general register number (as encoded, 0 to 15). */
uint64_t decode_register(const struct user_regs_struct *regs, unsigned number);

/* Whether both have the same rip and general registers. */
bool decode_same_registers(
    const struct user_regs_struct *one, const struct user_regs_struct *other);

/* For INDIRECT_MEMORY and INDIRECT_RETURN: where the target is kept. */
uint64_t decode_indirect_slot(const struct indirect *indirect, const struct user_regs_struct *regs);

#endif
