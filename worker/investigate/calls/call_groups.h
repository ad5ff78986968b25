#ifndef WORKER_CALL_GROUPS_H
#define WORKER_CALL_GROUPS_H
/*
 * The groups of rr_trace_calls: by caller, or by the value of an expression.
 */
#include "worker/investigate/calls/keyed_groups.h"
#include "worker/serve/handlers.h"

#define GROUPS_MAX KEYED_GROUPS_MAX

struct call_groups {
	json_t *rows;			/* {key, count, sum?, first, last} */
	struct moment last[GROUPS_MAX]; /* of each group; its ticks are -1 where it is not known */
	struct keyed_groups keyed;
	size_t bytes, without_last; /* groups */
	long long ungrouped;
};

/* Whether the groups are callers. */
bool call_groups_by_caller(const struct trace_calls_args *args);

/* Puts the pass at which the program stands into its group, and its value of `sum`. False with
 * *failure filled if the key may not be evaluated. */
bool call_groups_add(struct call_groups *groups, struct replay *replay,
    const struct trace_calls_args *args, long long value, struct failure *failure);

/* Adds the calls that were counted without a stop, where the sum of counted passes is `counted`.
 * Finds the last ones of each group if the whole stretch was searched, for which no breakpoint of
 * the search may be left. False: they do not fit, and all has to be done again by stops. */
bool call_groups_add_keyed(struct call_groups *groups, const struct trace_calls_args *args,
    struct search *search, enum search_end end, struct keyed_counts *counts);

/* "groups" and "ungrouped". */
void call_groups_tell(struct call_groups *groups, struct replay *replay, json_t *answer);

#endif
