#ifndef WORKER_OPERAND_H
#define WORKER_OPERAND_H
/*
 * The memory that one x86 instruction reads and writes, from its bytes: the operands that its text
 * names and those it only implies (the strings of rep movs, the stack of push and call). Pure; must
 * never trust the bytes, which the recorded program chose.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_BYTES_MAX 15
#define INSTRUCTION_TEXT_MAX  160
#define OPERANDS_MAX	      3
#define OPERAND_TEXT_MAX      80
#define OPERAND_REGISTER_MAX  8

struct memory_operand {
	char text[OPERAND_TEXT_MAX]; /* as AT&T assembly writes it: 0x8(%rax,%rbx,4) */
	bool reads, writes;
	unsigned size;	/* bytes; of one element where there are lanes, or of one repetition */
	unsigned align; /* what the address must be a multiple of; 1: nothing */
	/* Its address is the sum of these. Registers are named as gdb does, without $; "": none. */
	char base[OPERAND_REGISTER_MAX], index[OPERAND_REGISTER_MAX];
	char segment[OPERAND_REGISTER_MAX]; /* fs_base or gs_base */
	unsigned scale;			    /* of the index */
	int64_t displacement;		    /* with the instruction pointer in it, where relative */
	unsigned address_bits;		    /* the sum is cut to so many */
	unsigned lanes,
	    lane_bits; /* the index is so many signed numbers of a vector; 0: it is not one */
};

struct instruction {
	char text[INSTRUCTION_TEXT_MAX]; /* AT&T */
	size_t length;
	bool calls, returns; /* it is a call, near or far; it is a return */
	struct memory_operand operands[OPERANDS_MAX];
	size_t count;
};

/* Decodes the instruction at address pc; false when the bytes are none. */
bool operand_decode(const uint8_t *bytes, size_t length, uint64_t pc, bool is_64_bit,
    struct instruction *instruction);

#endif
