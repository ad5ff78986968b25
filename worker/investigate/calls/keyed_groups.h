#ifndef WORKER_KEYED_GROUPS_H
#define WORKER_KEYED_GROUPS_H
/*
 * Calls by caller, counted where the program runs. The first call from each return address stops:
 * if that address alone decides how its caller is called, the calls that come back there are
 * counted without a stop from then on. All others stop as before.
 */
#include "worker/breaks/keyed_passes.h"
#include "worker/investigate/code/return_place.h"
#include "worker/investigate/search/search.h"

#define KEYED_GROUPS_MAX 200

struct keyed_groups {
	bool on, lost; /* lost: all has to be done again by stops */
	char key[RETURN_PLACE_MAX];
	unsigned long long before; /* the sum of counted passes when it began */
	struct {
		unsigned long long key;
		size_t group; /* KEYED_GROUPS_MAX: that of the calls without one */
	} known[KEYS_MAX];
	size_t count;
	/* Each pass that was looked at: how many were counted before it. */
	unsigned long long *stops;
	size_t stop_count, stop_room;
	unsigned long long looked[KEYED_GROUPS_MAX]; /* the same at the last one of each group */
};

/* Where the program stands at a pass, the first of `looked` that were looked at. False: they cannot
 * be counted so here. Then: keyed_groups_count. */
bool keyed_groups_begin(struct keyed_groups *groups, struct replay *replay, long long looked);
/* It can begin again. */
void keyed_groups_end(struct keyed_groups *groups);

/* At a pass that is looked at, of this group, and decides: what where_caller says. */
void keyed_groups_look(
    struct keyed_groups *groups, struct replay *replay, size_t group, unsigned long long decides);

struct keyed_counts {
	long long count[KEYED_GROUPS_MAX + 1]; /* without a stop; the last: without a group */
	/* The number of the group's last pass among all; 0: it was looked at. */
	unsigned long long last[KEYED_GROUPS_MAX];
};

/* What was counted up to now, where the sum is `sum`. False: it is not known. */
bool keyed_groups_count(struct keyed_groups *groups, struct replay *replay, unsigned long long sum,
    struct keyed_counts *counts);

/*
 * Goes through the stretch once more, to the last passes of those groups, and writes their moments.
 * Where no time is left for one, its number in `counts` stays. False: what it finds there does not
 * fit, so that all has to be done again by stops.
 */
bool keyed_groups_find_last(struct keyed_counts *counts, struct search *search,
    const char *location, const char *condition, struct moment last[KEYED_GROUPS_MAX]);

#endif
