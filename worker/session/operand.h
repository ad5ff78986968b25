#ifndef WORKER_OPERAND_H
#define WORKER_OPERAND_H
/*
 * Finds out from its bytes which memory one x86 instruction reads and writes: the explicit operands
 * and the implicit ones (the strings of rep movs, the stack of push and call). Pure; must never
 * trust the bytes, because the recorded program chose them.
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
	unsigned size;	/* bytes; of one element where there are lanes, or of one repetition; 0: it
			   depends on the processor (xsave) */
	unsigned align; /* required alignment of the address; 1: none */
	/* The address is the sum of these. Registers have gdb's names, without $; "": none. */
	char base[OPERAND_REGISTER_MAX], index[OPERAND_REGISTER_MAX];
	char segment[OPERAND_REGISTER_MAX]; /* fs_base or gs_base */
	unsigned scale;			    /* of the index */
	int64_t displacement;		    /* with the instruction pointer in it, where relative */
	unsigned address_bits;		    /* bits to which the sum is cut */
	/* bt, bts, btr, btc: the register with the number of a bit, which may lie far from there.
	 */
	char bit_number[OPERAND_REGISTER_MAX];
	bool plus_al; /* xlat: al is added, without a sign */
	bool masked;  /* by one of k1 to k7 */
	/* A register says which elements are accessed: by one bit each if it is k1 to k7, else by
	 * their own sign bits. "": all are. */
	char mask[OPERAND_REGISTER_MAX];
	unsigned element; /* bytes of one, with a mask */
	bool by_element;  /* the mask's element n decides about the memory's element n alone */
	/* Whether the instruction changes a register that the address is from, resp. the mask. */
	bool lost, mask_lost;
	unsigned lanes, lane_bits; /* how many signed numbers the vector index holds; 0: the index
				      is not a vector */
};

struct instruction {
	char text[INSTRUCTION_TEXT_MAX]; /* AT&T */
	size_t length;
	bool calls, returns;	 /* a near or far call; a return */
	bool jumps;		 /* a jump without a condition */
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
