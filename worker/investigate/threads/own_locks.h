#ifndef WORKER_OWN_LOCKS_H
#define WORKER_OWN_LOCKS_H
/*
 * Follows what a program does to order its threads itself, with atomic operations: by locks that no
 * function of the C library shows. It does not know what such an operation means, so it only says
 * what may be ordered by them. What it knows are the looks at the guards of C++'s static variables.
 */
#include "worker/investigate/threads/threading.h"

#define OWN_LOCKS_FUNCTIONS_MAX 256
#define OWN_LOCKS_PLACES_MAX	64    /* instructions at which the search stops */
#define OWN_LOCKS_STOPS_MAX	20000 /* then it stops at them no more */

/* Functions whose code was looked at. Starts as {0}. */
struct own_locks {
	unsigned long long functions[OWN_LOCKS_FUNCTIONS_MAX];
	size_t count;
	unsigned long long accessed[OWN_LOCKS_FUNCTIONS_MAX]; /* program counters */
	size_t accessed_count;
	struct {
		unsigned long long address;
		unsigned long long guard; /* that is looked at there; 0: none */
		int number;		  /* gdb's */
	} places[OWN_LOCKS_PLACES_MAX];
	size_t place_count;
	long long stops;
	bool blind; /* there are too many of them */
};

/* At an access: looks at the program's own functions on the stack of the thread, and at those that
 * they call, once for each program counter. From now on, the search stops at their atomic
 * operations. */
void own_locks_look(struct own_locks *own, struct threading *threading, size_t thread);

/* Whether a hit is at one of these. If so, takes note of it. */
bool own_locks_take(struct own_locks *own, struct threading *threading, const struct hit *hit);

/* Removes the breakpoints. */
void own_locks_clear(struct own_locks *own, struct replay *replay);

#endif
