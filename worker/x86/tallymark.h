/*
 * A table where no program has memory, which gdb reads: the changes of what rr watches that the
 * software PMU has counted. See tally.h there.
 */
#ifndef WORKER_TALLYMARK_H
#define WORKER_TALLYMARK_H

#include <stdint.h>

#define TALLYMARK 0x7ffffffff100ull

enum {
	TALLY_ROWS = 64,
	TALLY_SIZE_MAX = 8, /* bytes that are watched */
	TALLY_WANTED_MAX = 256,
	TALLY_EVERY = 4096, /* changes: the last of so many is shown */

	TALLY_ON = 1,
	TALLY_LOST = 2, /* there may have been a change that is not counted */
};

struct tally_table {
	uint64_t state;	 /* of the bits above */
	uint64_t total;	 /* changes: the number of the last one */
	uint64_t shown;	 /* the last one of them at which rr stopped */
	uint64_t others; /* further ones, which rr itself has made and shown */
	uint64_t found;	 /* the first change behind which the predicate may hold; 0: none yet */
	uint64_t count;	 /* of rows */
	struct tally_row {
		uint64_t pc; /* behind the instruction */
		uint64_t count, first, last;
	} row[TALLY_ROWS];
};

#endif
