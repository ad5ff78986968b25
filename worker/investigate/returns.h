#ifndef WORKER_RETURNS_H
#define WORKER_RETURNS_H
/*
 * Calls whose return is awaited while a search runs on: each adds to the answer's row of its call
 * what it returned and how long it took.
 */
#include "worker/session/replay.h"
#include "worker/session/scan.h"

#define RETURNS_CALLS_MAX  256 /* calls at once, recursion included */
#define RETURNS_PLACES_MAX 128 /* places that they return to */

struct returns {
	struct {
		unsigned long long back, top; /* where it returns to; the stack pointer then */
		struct moment called;
		char type[128]; /* of what it returns; "": not known */
		bool jumped;	/* longjmp was called meanwhile: it may have left this call */
		json_t *row;
	} calls[RETURNS_CALLS_MAX];
	size_t count;
	struct {
		unsigned long long address;
		int number; /* gdb's */
	} places[RETURNS_PLACES_MAX];
	size_t place_count;
	int jumps[2], catches; /* gdb's numbers at what leaves calls without a return */
};

/* Sets what it needs beside the places of return. Starts from {0}. */
void returns_begin(struct returns *returns, struct replay *replay);

/* At a call of a function that is searched for, wanted or not: what lay further down the same stack
 * has been left by now. */
void returns_pass(struct returns *returns, struct replay *replay);

/* After that, of a call that is wanted: waits for its return. Of what does not fit, or has no
 * caller, nothing is told. */
void returns_await(struct returns *returns, struct replay *replay, json_t *row);

/* Whether a hit is one of its own, and tells what has returned there. */
bool returns_take(struct returns *returns, struct replay *replay, const struct hit *hit);

/* Removes its breakpoints; rows still awaited say that they did not return. */
void returns_end(struct returns *returns, struct replay *replay);

#endif
