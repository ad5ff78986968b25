#ifndef WORKER_KEYED_GROUPS_H
#define WORKER_KEYED_GROUPS_H
/*
 * Calls by caller or by a value, counted where the program runs, and their sums. The first call
 * from each return address, or with each value, stops: if that alone decides which group it is in,
 * or that and the return addresses of the callers, the calls that come back there are counted
 * without a stop from then on. All others stop as before.
 */
#include "worker/breaks/keyed_passes.h"
#include "worker/investigate/calls/caller.h"
#include "worker/investigate/code/return_place.h"
#include "worker/read/code/unwind_rule.h"
#include "worker/investigate/search/search.h"

#define KEYED_GROUPS_MAX 200
#define KEYED_KEY_MAX	 (REPLAY_EXPRESSION_MAX + 8)

struct keyed_groups {
	bool on, lost;	      /* lost: all has to be done again by stops */
	bool unsigned_values; /* those with their highest bit set are no numbers of 64 bits here */
	bool no_lines;	      /* all of this holds as long as callers_have_no_lines */
	char key[KEYED_KEY_MAX];
	struct unwind_files files;
	struct moment begun;		  /* the last pass that was looked at before it counts */
	unsigned long long looked_before; /* passes up to there */
	unsigned long long before;	  /* the sum of counted passes when it began */
	struct {
		unsigned long long key;
		size_t group; /* KEYED_GROUPS_MAX: that of the calls without one */
	} known[KEYS_MAX];
	size_t count;
	unsigned long long taught[STACK_RULES_MAX]; /* places whose rules the counter knows */
	size_t taught_count;
	/* Each pass that was looked at: how many were counted before it. */
	unsigned long long *stops;
	size_t stop_count, stop_room;
	unsigned long long looked[KEYED_GROUPS_MAX]; /* the same at the last one of each group */
};

/* Where the program stands at a pass, the first of `looked` that were looked at. by: an expression;
 * NULL: the caller. value: what is summed; NULL: nothing. False: they cannot be counted so here.
 * Then: keyed_groups_count. */
bool keyed_groups_begin(struct keyed_groups *groups, struct replay *replay, long long looked,
    const char *by, const char *value);
/* The same of passes that are all in no group, for their sum. */
bool keyed_groups_begin_sum(
    struct keyed_groups *groups, struct replay *replay, long long looked, const char *value);
/* It can begin again. */
void keyed_groups_end(struct keyed_groups *groups);

/* At a pass that is looked at, of this group. */
void keyed_groups_look(struct keyed_groups *groups, struct replay *replay, size_t group,
    const struct decides *decides);

struct keyed_counts {
	/* Without a stop; the last: without a group. */
	long long count[KEYED_GROUPS_MAX + 1], sum[KEYED_GROUPS_MAX + 1];
	/* The number of the group's last pass among all behind `begun`; 0: it was looked at. */
	unsigned long long last[KEYED_GROUPS_MAX];
	struct moment begun;
};

/* What was counted up to now, where the sum is `sum`. False: it is not known. */
bool keyed_groups_count(struct keyed_groups *groups, struct replay *replay, unsigned long long sum,
    struct keyed_counts *counts);

/*
 * Goes through the counted part of the stretch once more, to the last passes of those groups, and
 * writes their moments. Where no time is left for one, its number in `counts` stays. False: what it
 * finds there does not fit, so that all has to be done again by stops.
 */
bool keyed_groups_find_last(struct keyed_counts *counts, struct search *search,
    const char *location, const char *condition, struct moment last[KEYED_GROUPS_MAX]);

#endif
