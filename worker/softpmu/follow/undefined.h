#ifndef RR_WARDEN_SOFTPMU_UNDEFINED_H
#define RR_WARDEN_SOFTPMU_UNDEFINED_H
/*
 * Which bits of a thread's registers come from memory that was never written, and what one
 * instruction makes of them, exact to the bit where that is known. Pure; must never trust the
 * bytes.
 *
 * It must never take for undefined what the program has defined. What is not known here is defined
 * again: a use may be missed, none is invented.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "worker/x86/accesses.h"
#include "worker/x86/instruction.h"

enum {
	UNDEFINED_VECTOR = 64, /* bytes */
	UNDEFINED_VECTORS = FLOW_VECTORS,
	UNDEFINED_GENERAL = FLOW_REGISTERS,
};

/* Up to eight bytes. from: where its undefined bits were loaded, as the memory says. */
struct undefined_value {
	uint64_t bits, undefined;
	uint16_t from;
};

struct undefined {
	uint64_t general[UNDEFINED_GENERAL];
	uint16_t general_from[UNDEFINED_GENERAL];
	uint8_t vector[UNDEFINED_VECTORS][UNDEFINED_VECTOR];
	uint16_t vector_from[UNDEFINED_VECTORS];
	uint32_t vectors; /* those that may have undefined bytes */
	uint32_t flags;	  /* as in eflags */
	uint16_t flags_from;
	/* They are those of one - other, so many bytes. */
	bool compared;
	unsigned compared_size;
	struct undefined_value one, other;
};

/* The program's memory, and what of it is undefined. */
struct undefined_memory {
	void *context;
	/* What is there; zeros where it cannot be read. */
	void (*read)(void *context, uint64_t address, void *bytes, size_t size);
	/* The undefined bits; and where these were loaded first, or 0. */
	uint16_t (*load)(void *context, uint64_t address, uint8_t *undefined, size_t size);
	void (*store)(
	    void *context, uint64_t address, const uint8_t *undefined, size_t size, uint16_t from);
	/* accesses_selected, with the mask as it is now. False: that is not known. */
	bool (*select)(void *context, const struct access *access, uint64_t *selected);
};

/* One instruction, before it runs with these registers. */
struct undefined_step {
	struct undefined *state;
	const struct user_regs_struct *regs;
	const struct undefined_memory *memory;
	struct decoded decoded;
	struct accesses accesses;
};

/* False if these bytes are no instruction. The rest of the step is the caller's to fill. */
bool undefined_decode(struct undefined_step *step, const uint8_t *bytes, size_t length);

enum undefined_use {
	UNDEFINED_NO_USE,
	UNDEFINED_BRANCH,  /* a conditional branch depends on undefined bits */
	UNDEFINED_ADDRESS, /* the address of a load or store has some */
	UNDEFINED_JUMP,	   /* the target of an indirect jump or call has some */
};

/* What it makes the program depend on; and where that was loaded. */
enum undefined_use undefined_use(const struct undefined_step *step, uint16_t *from);

/* The state behind it; of an instruction that repeats, behind one repetition. */
void undefined_apply(struct undefined_step *step);

/* Defines all that it writes, with all of its repetitions. */
void undefined_define(struct undefined_step *step);

/* Nothing is undefined in the registers. */
bool undefined_is_clear(const struct undefined *state);

#endif
