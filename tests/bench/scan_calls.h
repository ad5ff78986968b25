#ifndef TESTS_BENCH_SCAN_CALLS_H
#define TESTS_BENCH_SCAN_CALLS_H
/*
 * Waiting, as somebody does who investigates: the calls of a list, one after the other in one
 * session, and the longest of all lists together.
 */
#include <stddef.h>

#define CALLS_MAX 64

struct calls {
	double seconds[CALLS_MAX];
	size_t count;
};

/* Makes the calls of tests/bench/calls/LIST.json in a new session of the trace; a row for each. */
void calls_make(struct calls *calls, const char *list, const char *trace);

/* The sum of the ten longest, and its limit. */
void calls_sum(struct calls *calls);

#endif
