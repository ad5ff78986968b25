/*
 * What orders the steps of a program's threads: a vector clock for each of them, and for each place
 * in memory by which they tell each other something. Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_RACECLOCKS_H
#define RR_WARDEN_SOFTPMU_RACECLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RACE_THREADS = 128,
	RACE_PLACES = 1 << 16, /* a power of two; half of it is used */
	RACE_NOBODY = RACE_THREADS,
};

struct raceplace {
	uint64_t address; /* 0: none */
	uint32_t *clock;  /* of RACE_THREADS */
};

struct raceclocks {
	uint32_t clock[RACE_THREADS][RACE_THREADS];
	unsigned threads;
	struct raceplace *place; /* a hash table */
	size_t places;
	struct raceplace rest; /* for all that did not fit: they order too much */
	bool full;
};

void raceclocks_free(struct raceclocks *clocks);

/* A thread that begins after what `parent` did up to now; RACE_NOBODY: after what all did. Returns
 * its number, or RACE_NOBODY if there are too many. */
unsigned raceclocks_add(struct raceclocks *clocks, unsigned parent);

/* The thread uses a place by which threads are ordered: what comes then is behind what others have
 * released there (acquires), and what it did is before what others do that acquire it later. */
void raceclocks_use(
    struct raceclocks *clocks, unsigned thread, uint64_t address, bool acquires, bool releases);

/* The thread's own time. */
uint32_t raceclocks_now(const struct raceclocks *clocks, unsigned thread);

/* Whether what `earlier` did at that time comes before what the thread does now. */
bool raceclocks_before(
    const struct raceclocks *clocks, unsigned earlier, uint32_t time, unsigned thread);

#endif
