/*
 * Must never pass over a change that stops would have seen: where one may be missing, nothing is
 * known.
 */
#include "worker/investigate/values/first_true.h"

#include <stdio.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/watchpoint.h"
#include "worker/gdb/must.h"
#include "worker/investigate/counting/tallied_writes.h"
#include "worker/moment/position.h"

struct first {
	struct search *search;
	const struct hushed_writes *predicate;
	first_true_judge *judge;
	void *context;
	int watch;	     /* gdb's number */
	struct moment begun; /* where the counter began to look */
	uint64_t others;     /* writes of rr's that were judged */
	uint64_t wanted;     /* in the second run */
	struct tally_table table;
	bool lost, here;
};

static int set_watch(
    struct replay *replay, const struct agent_place *place, struct failure *failure)
{
	const char *type = place->size == 1   ? "char"
			   : place->size == 2 ? "short"
			   : place->size == 4 ? "int"
					      : "long";
	char expression[64];

	snprintf(expression, sizeof(expression), "*(unsigned %s *) 0x%llx", type, place->address);
	return watchpoint_insert(replay, expression, WATCH_WRITE, true, NULL, failure);
}

static bool read_table(struct first *first, struct replay *replay)
{
	first->lost = !tallied_writes_read(replay, &first->table);
	return !first->lost;
}

/* At a stop of the first run: the counter has noticed a change, or rr has written. */
static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct first *first = context;

	(void)failure;
	if (!read_table(first, replay))
		return SCAN_ENOUGH;
	if (first->table.found) {
		first->here = first->table.found == first->table.shown && hit->watched &&
			      hit->number == first->watch;
		return SCAN_ENOUGH;
	}
	if (first->table.others == first->others)
		return SCAN_ON;
	first->others = first->table.others;
	first->here = first->judge(first->context, replay);
	return first->here ? SCAN_ENOUGH : SCAN_ON;
}

static enum scan_verdict see_wanted(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct first *first = context;

	if (!position_update(replay, failure))
		return SCAN_GIVE_UP;
	if (!read_table(first, replay))
		return SCAN_ENOUGH;
	first->here =
	    first->table.shown == first->wanted && hit->watched && hit->number == first->watch;
	return first->table.shown < first->wanted ? SCAN_ON : SCAN_ENOUGH;
}

static bool go_back(struct first *first, struct failure *failure)
{
	struct replay *replay = first->search->replay;
	bool there;

	gdb_must(replay_gdb(replay), NULL, "-break-disable %d", first->watch);
	there = search_again(first->search, &first->begun, failure);
	gdb_must(replay_gdb(replay), NULL, "-break-enable %d", first->watch);
	return there;
}

/* The second run, to the change that the first one has found. */
static bool go_to_found(struct first *first, struct failure *failure)
{
	const struct agent_place *place = &first->predicate->place;
	struct replay *replay = first->search->replay;

	first->wanted = first->table.found;
	first->here = false;
	return go_back(first, failure) &&
	       tallied_writes_begin(replay, place->address, place->size, &first->wanted, 1) &&
	       scan_run(replay, FORWARD, SEARCH_STOPS_MAX, see_wanted, first, failure) ==
		   SCAN_FOUND &&
	       first->here && !first->lost;
}

static bool is_over(const struct replay *replay)
{
	return replay_worker(replay)->interrupt || replay_worker(replay)->broken;
}

/* The first run ended so. FIRST_TRUE_UNKNOWN: something is found, to which the second run goes. */
static enum first_true judge_run(const struct first *first, enum search_end end)
{
	if (first->here)
		return FIRST_TRUE_FOUND;
	if (end == SEARCH_FAILED)
		return FIRST_TRUE_FAILED;
	if (first->lost || first->table.found)
		return FIRST_TRUE_UNKNOWN;
	return end == SEARCH_CUT ? FIRST_TRUE_CUT : FIRST_TRUE_NONE;
}

/* Up to a change behind which it may hold. */
static enum first_true look(struct first *first, struct failure *failure)
{
	const struct agent_place *place = &first->predicate->place;
	struct search *search = first->search;
	struct replay *replay = search->replay;
	enum first_true seen;
	enum search_end end;

	position_take_sum(replay);
	first->begun = *replay_now(replay);
	first->others = 0;
	first->here = false;
	if (!tallied_writes_begin_until(replay, place->address, place->size))
		return FIRST_TRUE_UNKNOWN;
	end = search_run(search, see, first, failure);
	if (end != SEARCH_FAILED && !first->lost && !first->here)
		read_table(first, replay);
	seen = judge_run(first, end);
	if (seen != FIRST_TRUE_UNKNOWN || first->lost)
		return seen;
	if (end != SEARCH_CUT && go_to_found(first, failure))
		return !search->bounded || position_order(replay_now(replay), &search->to) < 0
			   ? FIRST_TRUE_FOUND
			   : FIRST_TRUE_UNKNOWN;
	if (!is_over(replay))
		return FIRST_TRUE_UNKNOWN;
	/* It is there, but nobody has seen where: as if nothing behind `begun` were searched. */
	search->reached = first->begun;
	return replay_worker(replay)->broken ? FIRST_TRUE_FAILED : FIRST_TRUE_CUT;
}

enum first_true first_true_find(struct search *search, const struct hushed_writes *predicate,
    first_true_judge *judge, void *context, struct failure *failure)
{
	struct first first = {
	    .search = search, .predicate = predicate, .judge = judge, .context = context};
	struct replay *replay = search->replay;
	enum first_true seen = FIRST_TRUE_UNKNOWN;

	if (!predicate->code[0] || !predicate->place.size)
		return seen;
	first.watch = set_watch(replay, &predicate->place, failure);
	if (!first.watch)
		return seen;
	hushed_writes_begin(predicate, replay);
	seen = look(&first, failure);
	if (seen == FIRST_TRUE_FOUND && !judge(context, replay))
		seen = FIRST_TRUE_UNKNOWN; /* one of the two is wrong */
	tallied_writes_end(replay);
	hushed_writes_end(predicate, replay);
	temporary_breakpoint_delete(replay, first.watch);
	return seen;
}
