#ifndef WORKER_COUNTED_H
#define WORKER_COUNTED_H
/*
 * Passes of a place that are counted where the program runs, without a stop of gdb or rr. Only the
 * software counter can do that; see worker/x86/passmark.h.
 */
#include "worker/moment/instant/fingerprint.h"
#include "worker/session/replay.h"

/* Sets a breakpoint that counts each pass of the location at which the condition holds (NULL: each)
 * and stops only where gdb has to judge a pass, which is then not counted. Returns gdb's number, or
 * 0 if they cannot be counted so here. gdb hands a condition to rr only if no other breakpoint of
 * its own is at the place, so remove the one that was there before the program runs on. *before is
 * passes_sum at the beginning.
 *
 * end: the instant with which the stretch ends (NULL: none). *guard is gdb's number of the
 * breakpoint there, and becomes that of one at which no other instant stops; or 0 if the location
 * itself is there: then the breakpoint that counts stops there too, and does not count it. */
struct counted {
	const char *location, *condition;
	const char *key;    /* counts by this number; see keyed_passes.h. NULL: all alike */
	bool by_value;	    /* the key is an expression of the client's */
	const char *value;  /* of which each key has a sum; NULL: none. Only with a key */
	bool stops_at_next; /* at the pass that keyed_passes_next names, which is not counted */
	const struct fingerprint *end;
};

int counted_begin(
    struct replay *replay, const struct counted *counted, int *guard, unsigned long long *before);

/* Sets a guard at that instant, at which no other one stops, if that can be. *guard: gdb's number
 * of the one that is there (0: none), and then of the new one. */
void counted_guard(struct replay *replay, const struct fingerprint *end, int *guard);

#endif
