/*
 * Who touched each eight bytes of a program's memory last, as far as that can still be a part of a
 * race: some writes and reads, with the thread's time. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_RACECELLS_H
#define RR_WARDEN_SOFTPMU_RACECELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/softpmu/races/raceclocks.h"
#include "worker/x86/tallymark.h"

enum {
	RACECELL_BYTES = 8,
	RACECELL_WRITES = 2,
	RACECELL_READS = 3,
	RACECELL_SLOTS = RACECELL_WRITES + RACECELL_READS,
	RACECELLS_MAX = 1 << 21, /* 256 MB of cells */
};

struct raceslot {
	uint64_t number; /* 0: none */
	uint64_t pc;
	uint32_t time;
	uint8_t thread;
	uint8_t mask; /* of the eight bytes */
	uint8_t size; /* of the access */
	int8_t ahead; /* bytes from the first of the eight to the access's first */
};

struct racecell {
	uint64_t start; /* the address; 0: none */
	struct raceslot slot[RACECELL_SLOTS];
};

struct racecells {
	struct racecell *list; /* a hash table with open addresses */
	size_t room, used;
	bool full;
};

struct racestep {
	unsigned thread;
	struct race_access access; /* of at most 64 bytes */
};

/* Told of two accesses that nothing orders. */
typedef void racecells_found(
    void *context, const struct race_access *earlier, const struct race_access *later);

void racecells_free(struct racecells *cells);

/* The thread reads or writes. */
void racecells_step(struct racecells *cells, const struct raceclocks *clocks,
    const struct racestep *step, racecells_found *found, void *context);

/* The memory of [start, end) is another one from here on. */
void racecells_forget(struct racecells *cells, uint64_t start, uint64_t end);

#endif
