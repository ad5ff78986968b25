#ifndef WORKER_RACE_PASSES_H
#define WORKER_RACE_PASSES_H
/*
 * The passes through a recording that find the accesses which nothing orders. Whoever makes them is
 * in an excursion.
 */
#include "worker/investigate/search/search.h"
#include "worker/investigate/races/race_check.h"
#include "worker/investigate/races/race_place.h"

#define RACE_PASSES_PAIRS 100

/* One side of a pair. */
struct race_side {
	struct race_access access;
	json_t *moment, *frame, *callers; /* NULL: the program was not there */
	int tid;
};

struct race_found {
	struct race_side earlier, later;
	struct race_place place;
	unsigned long long count, low, high;
	bool library; /* both are by the C library's code */
};

struct race_passes {
	struct replay *replay;
	size_t most; /* pairs that are wanted */
	struct race_found list[RACE_PASSES_PAIRS];
	size_t count;
	unsigned long long all;	 /* pairs, those beyond the list included */
	struct race_table table; /* as it was read last */
	struct search search;	 /* that of the last pass, which is over: for search_tell */
	int watch;		 /* gdb's number of the watchpoint that a wanted access hits */
	size_t wanted;		 /* accesses that were not reached */
	bool unsettled;		 /* what orders threads was not known in the end */
	bool unfinished;	 /* the time was over before the pairs were looked at */
	bool before;		 /* the time was over before any was looked for */
	enum search_end end;	 /* of the pass that found them */
};

/* Starts as {.replay, .most}. False with *failure filled; call race_passes_free in either case. */
bool race_passes_find(
    struct race_passes *passes, const struct moment stretch[2], struct failure *failure);

void race_passes_free(struct race_passes *passes);

#endif
