/*
 * One pass from the program's beginning on: memory tells who holds a mutex, but not since when, and
 * not who reads under a rwlock.
 */
#include "worker/investigate/threads/locks_followed.h"

#include <stdlib.h>
#include <string.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"
#include "worker/trace/dump/grow.h"

static void add(struct lock_holdings *holdings, struct lock_holding holding)
{
	struct lock_holding *list = grow_list(holdings->list, holdings->count, sizeof(*list));

	if (!list)
		return;
	holdings->list = list;
	list[holdings->count++] = holding;
}

/* Keeps the takings, so that no later one gets the number of one of these. */
static void note_held(struct threading *threading, struct lock_holdings *holdings)
{
	for (size_t thread = 0; thread < threading->thread_count; thread++) {
		size_t count;
		const struct order_held *held = order_held(threading->order, thread, &count);

		for (size_t i = 0; i < count; i++) {
			add(holdings, (struct lock_holding){
					  thread, held[i].object, held[i].taking, held[i].shared});
			if (held[i].taking < threading->taking_count)
				threading->takings[held[i].taking].kept = true;
		}
	}
}

/* What the thread does at this stop comes after `from`. */
static void pass_from(struct locks_followed *locks)
{
	if (!locks->asked || locks->passed)
		return;
	note_held(locks->threading, &locks->before);
	locks->passed = true;
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct locks_followed *locks = context;

	(void)failure;
	if (locks->asked && !locks->passed &&
	    (position_order(&locks->from.moment, replay_now(replay)) < 0 ||
		fingerprint_is_here(replay, &locks->from)))
		pass_from(locks);
	if (!threading_take(locks->threading, hit))
		threading_take_here(locks->threading);
	return gdb_must_stop(replay_gdb(replay)) ? SCAN_ENOUGH : SCAN_ON;
}

/* Goes there, to recognize it later. */
static bool take_from(
    struct locks_followed *locks, const struct moment *from, struct failure *failure)
{
	if (!from || from->event == 0)
		return true;
	if (!moment_go_to(locks->replay, from, failure))
		return false;
	position_take_sum(locks->replay);
	locks->from = fingerprint_take(locks->replay);
	locks->asked = true;
	return true;
}

static bool begin(struct locks_followed *locks, const struct moment *from, const struct moment *to,
    struct failure *failure)
{
	const struct moment stretch[2] = {{.event = 0}, *to};
	struct replay *replay = locks->replay;

	if (!take_from(locks, from, failure) ||
	    !search_begin(&locks->search, replay, stretch, failure))
		return false;
	locks->threading = threading_begin(replay, !replay_is_from_fork(replay), failure);
	if (!locks->threading)
		return false;
	if (locks->asked)
		locks->guard = fingerprint_guard(replay, &locks->from);
	return true;
}

/* The program stands where the pass ended. */
static void finish(struct locks_followed *locks, struct failure *failure)
{
	struct replay *replay = locks->replay;

	locks->reached = locks->search.reached;
	if (locks->end == SEARCH_WHOLE && position_update(replay, failure)) {
		position_take_sum(replay);
		locks->reached = *replay_now(replay);
	}
	if (locks->end == SEARCH_WHOLE)
		pass_from(locks);
	note_held(locks->threading, &locks->held);
}

bool locks_follow(struct locks_followed *locks, struct replay *replay, const struct moment *from,
    const struct moment *to, struct failure *failure)
{
	*locks = (struct locks_followed){.replay = replay, .search = {.replay = replay}};
	if (!begin(locks, from, to, failure))
		locks->end = search_failed(&locks->search, failure);
	else if (search_is_empty(&locks->search))
		locks->end = SEARCH_WHOLE;
	else
		locks->end = search_run_many(&locks->search, see, locks, failure);
	/* It ends so only where an interrupt came at a stop. */
	if (locks->end == SEARCH_ENOUGH)
		locks->end = SEARCH_CUT;
	temporary_breakpoint_delete(replay, locks->guard);
	if (locks->threading)
		threading_clear(locks->threading);
	search_end(&locks->search);
	if (locks->threading && locks->end != SEARCH_FAILED)
		finish(locks, failure);
	return locks->end != SEARCH_FAILED && !replay_worker(replay)->broken;
}

void locks_followed_free(struct locks_followed *locks)
{
	free(locks->held.list);
	free(locks->before.list);
	fingerprint_forget(&locks->from);
	threading_free(locks->threading);
}

bool locks_is_kept(const struct lock_holdings *holdings, const struct lock_holding *holding)
{
	for (size_t i = 0; i < holdings->count; i++)
		if (holdings->list[i].thread == holding->thread &&
		    holdings->list[i].object == holding->object &&
		    holdings->list[i].taking == holding->taking)
			return true;
	return false;
}
