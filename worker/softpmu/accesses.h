/*
 * The memory that one instruction reads and writes, hidden operands such as the stack included.
 * Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_ACCESSES_H
#define RR_WARDEN_SOFTPMU_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

enum {
	ACCESSES_MAX = 4,
	ACCESS_NO_REGISTER = 0xff,
};

enum access_kind {
	ACCESS_PLAIN,  /* an address that base, index and displacement give */
	ACCESS_STRING, /* at base, and repeated */
	ACCESS_BITS,   /* of a string of bits, the one whose number is in a register */
	ACCESS_VECTOR, /* at addresses out of a vector register: anywhere */
};

struct access {
	enum access_kind kind;
	bool reads, writes;
	uint8_t base, index; /* general registers as encoded, or ACCESS_NO_REGISTER */
	uint8_t scale;
	uint8_t bit_number; /* ACCESS_BITS: the register */
	bool counted;	    /* ACCESS_STRING: it ends with its count, and with nothing else */
	bool short_address; /* 32 bits of it count */
	bool relative;	    /* the displacement is an address: the operand is relative to rip */
	char segment;	    /* 0, or 'f' or 'g' */
	uint8_t mask;	    /* 1 to 7: only the elements that k1 to k7 select are written; 0: all */
	uint8_t element;    /* with a mask: bytes of one */
	uint32_t size;	    /* bytes; for some at most so many */
	int64_t displacement;
};

struct accesses {
	unsigned count;
	struct access list[ACCESSES_MAX];
};

/* The accesses of the instruction whose bytes these are, at address. None if it is not valid. */
void accesses_of(const uint8_t *bytes, size_t length, uint64_t address, struct accesses *accesses);

/*
 * Where an access goes with these registers: [*start, *end). masks: k0 to k7, or NULL if they are
 * not known. all: all repetitions that are left, not only the next. An access that goes anywhere
 * has the whole address space.
 */
void accesses_range(const struct access *access, const struct user_regs_struct *regs,
    const uint64_t *masks, bool all, uint64_t *start, uint64_t *end);

/* Of an ACCESS_STRING: the number of the first repetition, from 0, that touches [start, end), with
 * any count; UINT64_MAX: none does. */
uint64_t accesses_first(
    const struct access *access, const struct user_regs_struct *regs, uint64_t start, uint64_t end);

#endif
