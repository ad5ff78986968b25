/*
 * A table where no program has memory, which gdb reads: the accesses of a program's threads that
 * nothing orders, as the software PMU has found them. See scan/racecheck.h there.
 */
#ifndef WORKER_RACEMARK_H
#define WORKER_RACEMARK_H

#include <stdint.h>

#define RACEMARK 0x800ull

enum {
	RACE_ON = 1,
	RACE_AGAIN = 2,	     /* what orders threads has become better known: another pass is due */
	RACE_LOST = 4,	     /* something did not fit: there may be more pairs */
	RACE_UNMAPPED = 8,   /* the program has no room for the log: nothing is found */
	RACE_ORPHANS = 16,   /* who made a thread is not known: it comes after all before it */
	RACE_PAIRS_PAGE = 8, /* read at once */
};

enum race_kind { RACE_READ, RACE_WRITE, RACE_ATOMIC };

struct race_access {
	uint64_t number; /* of the access, among all that were noted */
	uint64_t pc;
	uint64_t start; /* its first byte */
	uint32_t size;
	uint32_t kind; /* enum race_kind */
};

/* Two accesses of different threads that nothing orders: the first of those by this code. */
struct race_pair {
	struct race_access earlier, later;
	uint64_t count;	    /* of such accesses */
	uint64_t low, high; /* the first and the last address */
	uint64_t library;   /* both are by the C library's code */
};

struct race_table {
	uint64_t still;	 /* what the watchpoint is on */
	uint64_t state;	 /* of the bits above */
	uint64_t noted;	 /* accesses, ever */
	uint64_t orders; /* those that order threads */
	uint64_t threads;
	uint64_t shown; /* the wanted access that the program stands at; 0: none yet */
	uint64_t pairs; /* all of them, and those of the page that was asked for */
	struct race_pair pair[RACE_PAIRS_PAGE];
};

#endif
