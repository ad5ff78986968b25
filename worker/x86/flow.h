#ifndef WORKER_X86_FLOW_H
#define WORKER_X86_FLOW_H
/*
 * Finds out from its bytes where an x86-64 instruction takes the value from that it writes to
 * memory or to a register: copied, constant, or computed. Pure; must never trust the bytes, and
 * never calls something a copy that may be more than that.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "worker/x86/instruction.h"

enum flow_kind {
	FLOW_NONE,     /* it leaves these bytes as they are */
	FLOW_REGISTER, /* copies them from `piece` */
	FLOW_MEMORY,   /* copies them from its memory operand that it only reads */
	FLOW_CONSTANT, /* `bytes` */
	FLOW_ADDRESS,  /* lea computed an address */
	FLOW_COMPUTED, /* arithmetic, a comparison or a conversion */
	FLOW_OTHER,    /* writes them in a way that is none of these, or not understood */
	FLOW_MACHINE,  /* asks the processor: its clock, random numbers, cpuid */
	FLOW_KERNEL,   /* a system call */
	FLOW_CALL,     /* a call's return address */
	FLOW_MAYBE,    /* copies from `piece` or memory if `condition` holds, otherwise FLOW_NONE */
	FLOW_PART,     /* writes only some of these bytes */
};

struct flow {
	enum flow_kind kind;
	bool from_memory; /* with FLOW_MAYBE */
	struct piece piece;
	unsigned offset; /* with memory: of the first byte in the operand */
	unsigned size;	 /* bytes that are copied; above them, zeros or the sign fill up */
	bool is_signed;
	unsigned condition; /* the low four bits of cmovCC's code */
	uint8_t bytes[8];
};

/* What it does to bytes of a register; at most 8. False if the bytes are no instruction. */
bool flow_of_register(
    const uint8_t *code, size_t length, const struct piece *wanted, struct flow *flow);

/* The same for the `size` bytes from `offset` on of the memory that it writes; at most 8. If it
 * repeats, of one repetition. */
bool flow_of_memory(
    const uint8_t *code, size_t length, unsigned offset, unsigned size, struct flow *flow);

/* The same for one byte that it certainly writes: if it has a mask, that selects the byte. */
bool flow_of_selected(const uint8_t *code, size_t length, unsigned offset, struct flow *flow);

/* Whether a conditional move with these flags happens. */
bool flow_condition_holds(unsigned condition, uint64_t eflags);

/* gdb's name of a general register, without $. */
const char *flow_register_name(unsigned number);

/* Whether the calling convention makes a function leave it as it was. */
bool flow_is_preserved(const struct piece *piece);

/* Whether the instruction may continue elsewhere than behind its end. */
bool flow_jumps(const uint8_t *code, size_t length);

#endif
