#ifndef WORKER_X86_OPERAND_H
#define WORKER_X86_OPERAND_H
/*
 * One instruction as text, and its accesses to memory with the names that gdb has for their
 * registers. Pure; must never trust the bytes, because the recorded program chose them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "worker/x86/accesses.h"

#define INSTRUCTION_BYTES_MAX 15
#define INSTRUCTION_TEXT_MAX  160
#define OPERANDS_MAX	      ACCESSES_MAX
#define OPERAND_TEXT_MAX      80
#define OPERAND_REGISTER_MAX  8

struct memory_operand {
	struct access access;
	char text[OPERAND_TEXT_MAX]; /* as AT&T assembly writes it: 0x8(%rax,%rbx,4) */
	/* gdb's names, without $, of the registers that the access has; "": none. */
	char base[OPERAND_REGISTER_MAX], index[OPERAND_REGISTER_MAX];
	char number[OPERAND_REGISTER_MAX];
	char segment[OPERAND_REGISTER_MAX]; /* fs_base or gs_base */
	char mask[OPERAND_REGISTER_MAX];    /* k1 to k7, or a vector */
};

struct instruction {
	char text[INSTRUCTION_TEXT_MAX]; /* AT&T */
	size_t length;
	bool calls, returns;	 /* a near or far call; a return */
	bool jumps;		 /* a jump without a condition */
	bool branches;		 /* a jump with one */
	bool privileged;	 /* for the kernel alone */
	bool divides, is_signed; /* by an integer, with that sign */
	bool is_direct; /* a call or jump to `target`, which the instruction itself names */
	uint64_t target;
	/* What an indirect call or jump goes to, or what a division divides by. */
	char source_register[OPERAND_REGISTER_MAX]; /* "": it is in no register */
	bool source_in_memory;			    /* it is the first of the operands below */
	unsigned source_size;			    /* bytes */
	struct memory_operand operands[OPERANDS_MAX];
	size_t count;
};

/* Decodes the instruction at address pc; false if the bytes are no instruction. */
bool operand_decode(const uint8_t *bytes, size_t length, uint64_t pc, bool is_64_bit,
    struct instruction *instruction);

#endif
