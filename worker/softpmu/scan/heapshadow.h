/*
 * The shadow of a program's heap: a byte for each of its bytes, 0 where the program may touch that.
 * Or, where what was never written is looked for, of its heap and its stacks: the bits of that byte
 * that are undefined. It is a memory file that the program and rr have mapped, in segments for
 * those parts of the program's memory; the code in the cache finds them through a table in its
 * arena, see translate/checkcode.h.
 */
#ifndef RR_WARDEN_SOFTPMU_HEAPSHADOW_H
#define RR_WARDEN_SOFTPMU_HEAPSHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "worker/softpmu/cache/arena.h"

struct space;

enum {
	SHADOW_CLEAR = 0,
	SHADOW_OUTSIDE = 1, /* in no block */
	SHADOW_FREED = 2,
	SHADOW_RETURN = 0xff,	 /* of a return address, see heapreturns.c */
	SHADOW_UNDEFINED = 0xff, /* all bits of the byte */

	SHADOW_HEAP = 1,
	SHADOW_STACK = 2,

	SHADOW_BITS = ARENA_SHADOW_BITS, /* the next 16 are its place in the table */
	SHADOW_PLACES = 1 << 16,
	SHADOW_SEGMENTS = 512, /* 8 GB of heap */
	/* Behind each segment: what the code in the cache writes from its end on goes there. */
	SHADOW_GAP = 4096,
};

#define SHADOW_SEGMENT (1ull << SHADOW_BITS)
#define SHADOW_STRIDE  (SHADOW_SEGMENT + SHADOW_GAP)

struct heapshadow {
	uint8_t *memory; /* here; NULL: it is not mapped */
	uint64_t there;	 /* its address in the program */
	unsigned room, count;
	uint64_t start[SHADOW_SEGMENTS]; /* of the program's memory, by segment */
	uint8_t use[SHADOW_SEGMENTS];	 /* the same, SHADOW_HEAP or SHADOW_STACK or both */
	uint16_t at[SHADOW_PLACES]; /* one more than the segment with this place in the table */
	bool full;		    /* there was no room for a segment */
};

/* Maps it into a stopped tracee, and here. written: the tracee's own code writes to it. False:
 * neither has it. */
bool heapshadow_map(
    struct heapshadow *shadow, pid_t tid, const struct user_regs_struct *regs, bool written);

/* Sees to it that an address of a stack has a shadow. */
void heapshadow_cover(struct heapshadow *shadow, uint64_t address);

/* The shadow of an address; NULL: it has none. Valid up to the end of its segment. */
uint8_t *heapshadow_of(const struct heapshadow *shadow, uint64_t address);

/* Gives its memory back. The program keeps the mapping. */
void heapshadow_free(struct heapshadow *shadow);

/* Whether its mapping in the program has a byte of [start, end). */
bool heapshadow_overlaps(const struct heapshadow *shadow, uint64_t start, uint64_t end);

/* Marks [start, end) as this. Adds segments where there are none, unless it is to be clear. */
void heapshadow_mark(struct heapshadow *shadow, uint64_t start, uint64_t end, uint8_t value);

/* What the byte at an address is marked as. */
uint8_t heapshadow_at(const struct heapshadow *shadow, uint64_t address);

/* The first byte of [start, end) that the program must not touch, or `end`. */
uint64_t heapshadow_first(const struct heapshadow *shadow, uint64_t start, uint64_t end);

/* The first byte of [start, end) that is marked as this, or `end`. */
uint64_t heapshadow_next(
    const struct heapshadow *shadow, uint64_t start, uint64_t end, uint8_t value);

/* Whether it may touch one byte of [start, end). */
bool heapshadow_has_clear(const struct heapshadow *shadow, uint64_t start, uint64_t end);

/* The code in this space looks at the shadow from here on, or at nothing of the heap. followed:
 * what was never written is looked for, on the stacks, too. */
void heapshadow_show(
    const struct heapshadow *shadow, const struct space *space, bool shown, bool followed);

#endif
