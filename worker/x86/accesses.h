/*
 * The memory that one instruction reads and writes, hidden operands such as the stack included, and
 * where that is with given registers. Pure; must never trust the bytes, because the recorded
 * program chose them.
 */
#ifndef WORKER_X86_ACCESSES_H
#define WORKER_X86_ACCESSES_H

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

enum {
	ACCESSES_MAX = 4,
	ACCESS_NO_REGISTER = 0xff,
	ACCESS_NO_OPERAND = 0xff,
};

enum access_form {
	ACCESS_PLAIN,  /* an address that base, index and displacement give */
	ACCESS_STRING, /* at base, and repeated */
	ACCESS_BITS,   /* of a string of bits, the one whose number is in a register */
	ACCESS_TABLE,  /* xlat: the byte with al's number */
	ACCESS_VECTOR, /* at addresses out of a vector register: anywhere */
};

struct access {
	enum access_form kind;
	bool reads, writes;
	bool flushes;	     /* only a line of the caches; like a read, it can fault */
	uint8_t operand;     /* Zydis's, or ACCESS_NO_OPERAND: the instruction implies it */
	uint8_t base, index; /* general registers as encoded, or ACCESS_NO_REGISTER */
	uint8_t scale;
	uint8_t number;	    /* ACCESS_BITS, ACCESS_TABLE: the register that has it */
	bool counted;	    /* ACCESS_STRING: it ends with its count, and with nothing else */
	bool short_address; /* 32 bits of it count */
	bool relative;	    /* the displacement is an address: the operand is relative to rip */
	char segment;	    /* 0, or 'f' or 'g' */
	uint8_t lanes;	    /* ACCESS_VECTOR: how many signed numbers the index holds, */
	uint8_t lane_bits;  /* and how wide they are */
	uint8_t mask;	    /* 1 to 7: k1 to k7 select elements */
	bool vector_mask;   /* the sign bits of a vector do */
	uint8_t vector;	    /* that one's number */
	bool packed;	    /* what the mask selects lies together, from the first byte on */
	uint8_t element;    /* bytes of one */
	bool by_element;    /* the mask's element n decides about the memory's element n alone */
	bool lost;	    /* the instruction changes a register that the address is from */
	bool mask_lost;	    /* or its mask */
	uint32_t size;	    /* bytes, of one lane or repetition; 0: the processor decides (xsave) */
	uint32_t align;	    /* what the address must be a multiple of; 1: anything */
	int64_t displacement;
};

struct accesses {
	unsigned count;
	struct access list[ACCESSES_MAX];
};

/* The accesses of the instruction whose bytes these are, at address, in 64-bit code. None if it is
 * not valid. */
void accesses_of(const uint8_t *bytes, size_t length, uint64_t address, struct accesses *accesses);

/* The same for a decoded one, in any code. */
void accesses_decoded(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands,
    uint64_t address, struct accesses *accesses);

/* The vector register that masks the instruction's accesses; ZYDIS_REGISTER_NONE: none does. */
ZydisRegister accesses_vector_mask(
    const ZydisDecodedInstruction *z, const ZydisDecodedOperand *operands);

/* The most bytes that an access may have. */
uint32_t access_most(const struct access *access);

/* What the registers of an access hold; 0 for those that it does not have. The index of a vector is
 * one lane of it. */
struct access_values {
	uint64_t base, index, number, segment;
};

uint64_t access_address(const struct access *access, const struct access_values *values);

/*
 * Where an access goes with these registers: [*start, *end). masks: k0 to k7, or NULL if they are
 * not known. all: all repetitions that are left, not only the next. An access that goes anywhere
 * has the whole address space. It may be said to be larger than it is, never smaller: a watchpoint
 * would be missed.
 */
void accesses_range(const struct access *access, const struct user_regs_struct *regs,
    const uint64_t *masks, bool all, uint64_t *start, uint64_t *end);

static inline bool accesses_is_masked(const struct access *access)
{
	return access->mask || access->vector_mask;
}

/*
 * The bytes that a masked access of at most 64 bytes accesses: bit n is the byte n of those where
 * it goes. elements: bit n is the mask's element n. Of an access whose bytes it does not know, it
 * selects none: never one too many.
 */
uint64_t accesses_selected(const struct access *access, uint64_t elements);

/* Takes the next bits that lie together out of `selected`: *count of them, from *first on. False:
 * there are none. */
bool accesses_next_run(uint64_t *selected, unsigned *first, unsigned *count);

/* Of an ACCESS_STRING: the number of the first repetition, from 0, that touches [start, end), with
 * any count; UINT64_MAX: none does. */
uint64_t accesses_first(
    const struct access *access, const struct user_regs_struct *regs, uint64_t start, uint64_t end);

#endif
