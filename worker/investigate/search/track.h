#ifndef WORKER_TRACK_H
#define WORKER_TRACK_H
/*
 * The way of a run through its own code: the places that each of its threads passed, one after the
 * other. Threads are numbered in the order in which they were created.
 */
#include "worker/investigate/code/own_code.h"

#define TRACK_THREADS_MAX 64
#define TRACK_PLACES_MAX  1500 /* breakpoints */

struct pass_of {
	size_t place; /* a number of own_code's */
	struct moment moment;
};

struct track {
	struct replay *replay;
	struct own_code code;
	struct moment start;
	struct {
		int tid;
		struct pass_of *passes; /* owned */
		size_t count;
	} threads[TRACK_THREADS_MAX];
	size_t thread_count;
	int *numbers; /* owned: gdb's breakpoint of each place */
	int only;     /* the thread that is followed; -1: all */
	bool exact;   /* notes which pass of an instruction it is */
	size_t passed, limit;
	bool partly; /* not all wanted places, or not all threads, are followed */
};

enum track_end {
	TRACK_PASSED, /* *thread passed one place more */
	TRACK_ENDED,  /* the process ended */
	TRACK_FULL,   /* it passed `limit` places */
	TRACK_CUT,    /* interrupted */
	TRACK_FAILED, /* *failure is filled */
};

/* Reads the program's code, where the session stands. False with *failure filled. Call track_free
 * in either case. */
bool track_begin(struct track *track, struct replay *replay, struct failure *failure);
void track_free(struct track *track);

/* Forgets what was passed, and goes to a moment (NULL: the start). wanted[i] says whether place i
 * is followed. */
bool track_restart(
    struct track *track, const struct moment *from, const bool *wanted, struct failure *failure);

/* Runs to the next place. */
enum track_end track_next(struct track *track, size_t *thread, struct failure *failure);

#endif
