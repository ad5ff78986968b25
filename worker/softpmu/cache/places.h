/*
 * What each place in translated code stands for, and with it the way back: from any stop in the
 * cache to the state in which the program itself would be. The way back is computed; nothing runs
 * for it. Either our instruction has had no effect yet, and its traces are removed, or it stands
 * for a completed jump, and the tracee is put at the target. Pure: never touches a tracee.
 */
#ifndef RR_WARDEN_SOFTPMU_PLACES_H
#define RR_WARDEN_SOFTPMU_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

enum place_kind {
	PLACE_AT,	  /* the program is at `original` */
	PLACE_AT_TARGET,  /* it is at the address in rcx */
	PLACE_PAST_CHECK, /* it is at the address rcx + `original`, see sequences.c */
	PLACE_SPOILT,	  /* flags are spoilt: an instruction close by sets them */
	PLACE_ASKS,	  /* it is at `original`; the int3 asks whether that is, or touches, what is
			     watched */
	PLACE_PART,  /* it is at `original`, with as many repetitions more as are in the slot of rcx
		      */
	PLACE_LOOKS, /* it is at `original`; a fault is ours, of a look at what that writes to */
	PLACE_LOOKED,	/* it is at `original`, behind our look at what that touches; a trap of a
			   debug register is ours, and `original` comes to it again */
	PLACE_PEEKED,	/* the same behind a look at what it does not touch */
	PLACE_JUDGES,	/* it is at `original`; its flags are in their slot, see conditioncode.h */
	PLACE_RETURNED, /* it is at `original`, a ret that has been done, to the cache */
	PLACE_CHANGES,	/* it is at `original`; the int3 asks about a change, see changecode.h */
	PLACE_CHECKS,	/* the same, about the heap, see checkcode.h */
};

enum {
	PLACE_PENDING = 1,   /* one branch is counted that has not retired */
	PLACE_RCX_SAVED = 2, /* the program's rcx is in its slot */
	PLACE_RAX_SAVED = 4, /* and its rax */
	PLACE_BOTH_SAVED = PLACE_RCX_SAVED | PLACE_RAX_SAVED,
	PLACE_EXIT = 8,	    /* the int3 of a counter that is at its end */
	PLACE_JUMPED = 16,  /* the start of a jump through the table */
	PLACE_STALE = 32,   /* the int3 of a check that found other code than was translated */
	PLACE_SWAPPED = 64, /* the return address on the stack is one in the cache */
	PLACE_LEAVES = 128, /* the int3 of a call that is not done from the cache */
};

struct place {
	uint32_t offset;  /* in its part of the cache */
	uint8_t kind : 5; /* enum place_kind */
	/* Of the instruction at `original` a pass is counted if the slot of the mark says so, and
	 * it has not run; see passcount.h and places_runs. */
	uint8_t counted : 1;
	uint8_t lined : 1; /* the same, for the slot of its line; see linecount.h */
	uint8_t noted : 1; /* its access may be in the log, and it has not run: accesscode.c */
	uint8_t flags;
	/*
	 * PLACE_SPOILT: bytes from here to the instruction that sets the flags, and `original` is
	 * that instruction's address. PLACE_JUMPED: what undoes the jump's effect on rsp.
	 * PLACE_JUDGES: below 0, a fault is ours, and bytes from here to where it goes on then;
	 * above 0, the program's rdx is in its slot. PLACE_CHANGES: above 0, the log is full.
	 */
	int16_t distance;
	uint64_t original;
};

struct places {
	struct place *list; /* by offset */
	size_t count, room;
};

/*
 * Adds a place; offsets only grow. Of two with the same offset the later holds, and the one before
 * it is kept if it stands for something else: an elided jump leaves no code. False when memory is
 * short.
 */
bool places_add(struct places *places, const struct place *place);

/* The place at an offset, or NULL. */
const struct place *places_find(const struct places *places, uint32_t offset);

/* The place that was added at the same offset before this one of the list; NULL: none was. */
const struct place *places_before(const struct places *places, const struct place *place);

/* Makes them the same as `from`; false when memory is short. */
bool places_copy(struct places *places, const struct places *from);

/* Whether places_recover runs the instruction at `original`, because its old flags are lost. */
static inline bool places_runs(const struct place *place)
{
	return place->kind == PLACE_SPOILT;
}

void places_clear(struct places *places);
void places_free(struct places *places);

/*
 * Puts *regs into the program's own state. rcx and rax: what the slots hold. code: the translated
 * code from the place on, `length` bytes of it. True when a branch is counted that has not retired.
 * With PLACE_RETURNED and PLACE_SWAPPED the caller has to put the return address back.
 */
bool places_recover(const struct place *place, uint64_t rcx, uint64_t rax, const uint8_t *code,
    size_t length, struct user_regs_struct *regs);

#endif
