#ifndef WORKER_WORK_H
#define WORKER_WORK_H
/*
 * How much of a trace's work lies before a moment. Events are no measure of it: nearly all may lie
 * between two of them. So this counts ticks, those of all threads together.
 */
#include <stdbool.h>
#include <stddef.h>

struct work_point {
	long long event, ticks; /* of the thread that ran up to it */
	double total;		/* ticks of all threads by then */
};

/* Starts as {0}. */
struct work {
	struct work_point *points; /* in the order of events */
	size_t count;
	struct work_thread {
		int tid;
		long long ticks;
	} * threads;
	size_t thread_count;
	double total;
	bool lost; /* there was no memory: nothing is known */
};

/* Adds the next event of the trace; ticks of its thread, at which it happens. */
void work_add(struct work *work, int tid, long long event, long long ticks);

void work_free(struct work *work);

/* The ticks of all threads before a moment whose next event this is; -1: not known. */
double work_before(const struct work *work, long long event, long long ticks);

#endif
