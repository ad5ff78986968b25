#ifndef WORKER_LINE_COUNTS_H
#define WORKER_LINE_COUNTS_H
/*
 * How often each of many instructions began in a stretch: the places where the line table begins a
 * statement. The software counter counts all of them in one run and without a stop. Without that
 * counter, each place gets a breakpoint: gdb counts by itself in a stretch that has no end of its
 * own, and stops at each pass in another one.
 */
#include "worker/investigate/search/search.h"

#define LINE_COUNTS_BREAKPOINTS 400 /* without the software counter */

struct line_place {
	unsigned long long address;
	int line;
	unsigned long long function; /* for the caller's own use */
	long long count;
	int number; /* gdb's */
};

struct line_counts {
	struct replay *replay;
	struct line_place *places; /* the caller's */
	size_t count;
	bool by_itself; /* gdb counts, and does not stop */
};

/* How many places can be counted at a time. */
size_t line_counts_max(struct replay *replay);

/* Counts from where the search stands to the end of its stretch, with no breakpoint set but the
 * search's own. The counts hold up to what was searched, whatever the end; *failure as search_run
 * fills it. */
enum search_end line_counts_run(
    struct line_counts *counts, struct search *search, struct failure *failure);

#endif
