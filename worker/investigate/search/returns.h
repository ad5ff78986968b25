#ifndef WORKER_RETURNS_H
#define WORKER_RETURNS_H
/*
 * Waits for calls to return while a search runs on. Each return adds its value and its duration to
 * the call's row in the answer.
 */
#include "worker/session/replay.h"
#include "worker/run/sweep/scan.h"

#define RETURNS_CALLS_MAX  256 /* calls at once, recursion included */
#define RETURNS_PLACES_MAX 128 /* places that they return to */

struct returns {
	struct {
		unsigned long long back, top; /* where it returns to; the stack pointer then */
		struct moment called;
		char type[128]; /* the type that it returns; "": not known */
		bool jumped;	/* longjmp was called meanwhile: it may have left this call */
		bool thrown;	/* an exception is about to go on at `back` */
		json_t *row;
	} calls[RETURNS_CALLS_MAX];
	size_t count;
	struct {
		unsigned long long address;
		int number; /* gdb's */
	} places[RETURNS_PLACES_MAX];
	size_t place_count;
	/* gdb's numbers of the breakpoints at functions that leave calls without a return */
	int jumps[2], catches, landings;
};

/* Sets all breakpoints but those at return addresses. Starts from {0}. */
void returns_begin(struct returns *returns, struct replay *replay);

/* Call this at each call of the function, even at one that does not count: calls further down the
 * same stack have been left by then. */
void returns_pass(struct returns *returns, struct replay *replay);

/* Then, for a call that counts: waits for its return. If there is no room, or no caller, the row
 * says nothing of the return. */
void returns_await(struct returns *returns, struct replay *replay, json_t *row);

/* Whether a hit is at one of these breakpoints. If so, notes what has returned there. */
bool returns_take(struct returns *returns, struct replay *replay, const struct hit *hit);

/* Removes the breakpoints. Rows of calls that have not returned say so. */
void returns_end(struct returns *returns, struct replay *replay);

#endif
