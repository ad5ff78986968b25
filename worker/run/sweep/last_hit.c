/*
 * Where the hits can be counted without stops, last_pass.c goes. Otherwise the program runs
 * forward, from further and further back, up to where the session stands (the bound), counts the
 * stops, and runs once more to the last of them. Counts are exact even if moments are not: several
 * stops may share event and ticks. If it cannot tell on which side of the bound a stop lies, it
 * says so, and the caller runs backward instead.
 */
#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/run/sweep/last_hit.h"
#include "worker/run/sweep/last_pass.h"
#include "worker/run/sweep/scan.h"
#include "worker/breaks/breakpoints.h"
#include "worker/moment/crossing.h"
#include "worker/session/images.h"
#include "worker/moment/instant/fingerprint.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/resume.h"
#include "worker/run/sweep/unaccessed.h"

#define STOPS_MAX  1000000
#define BACK_FIRST 32 /* events of the first stretch; each further one is BACK_GROWS as long */
#define BACK_GROWS 8

struct search {
	struct fingerprint bound;   /* where the search began, and ends */
	struct return_ticket place; /* the same; at its end, all stops lie before the bound */
	int guard;		    /* gdb's number of the breakpoint at the bound; 0: none */
	struct moment from;	    /* where this stretch begins */
	long long stops, last; /* in this stretch: all, and the last before the bound (from 1) */
	struct moment last_at;
	long long passed;    /* hits behind the last that were no access */
	bool last_is_access; /* a watchpoint's: for a run backward, it lies before the access */
	bool arrived, doubtful, unguarded;
};

static bool is_before(const struct search *search, const struct moment *moment)
{
	const struct moment *bound = &search->bound.moment;

	return search->place.at_end || moment->event < bound->event ||
	       (moment->event == bound->event && moment->tid == bound->tid &&
		   moment->ticks < bound->ticks);
}

static bool is_behind(const struct search *search, const struct moment *moment)
{
	const struct moment *bound = &search->bound.moment;

	return !search->place.at_end &&
	       (moment->event > bound->event ||
		   (moment->event == bound->event && moment->tid == bound->tid &&
		       moment->ticks > bound->ticks));
}

/* If a breakpoint lies where the access ends, it is the later one of the two, unless the bound is
 * there. */
static void keep(struct search *search, const struct moment *moment, const struct hit *hit)
{
	search->last = search->stops;
	search->last_at = *moment;
	search->last_is_access = hit->watched && (search->arrived || !hit->breakpoint ||
						     hit->breakpoint == search->guard);
	search->doubtful |= !is_before(search, moment);
	search->passed = 0;
}

/* A hit of a watchpoint alone, whose instruction does not access the watched bytes. */
static bool is_no_access(const struct search *search, struct replay *replay, const struct hit *hit)
{
	bool alone = search->arrived || !hit->breakpoint || hit->breakpoint == search->guard;

	return hit->watched && alone && unaccessed_judge(replay, FORWARD).touch == ACCESSED_NOT;
}

/* Only an access can be a hit at the bound itself, because it ends there. The client, which stands
 * there, has seen everything else that stops there. */
static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	struct search *search = context;
	bool guard = search->guard && hit->number == search->guard;

	if (!position_update(replay, failure))
		return SCAN_GIVE_UP;
	search->arrived = !search->place.at_end && fingerprint_is_here(replay, &search->bound);
	if (is_behind(search, now))
		return SCAN_ENOUGH;
	if (!guard)
		search->stops++;
	if (!guard && (!search->arrived || hit->watched)) {
		if (is_no_access(search, replay, hit))
			search->passed++;
		else
			keep(search, now, hit);
	}
	return search->arrived ? SCAN_ENOUGH : SCAN_ON;
}

/* Goes to the beginning of a stretch, with the client's breakpoints disabled meanwhile. */
static bool go_event(struct replay *replay, long long event, struct failure *failure)
{
	bool ok;

	breakpoints_suspend(replay);
	ok = position_go_event(replay, event, failure);
	breakpoints_resume(replay);
	return ok;
}

/* The stops between `from`, where the program stands, and the bound. */
static bool look(struct replay *replay, struct search *search, struct failure *failure)
{
	enum scan_end end;

	search->stops = search->last = search->passed = 0;
	search->arrived = search->doubtful = false;
	if (!search->place.at_end && !search->unguarded)
		search->guard = fingerprint_guard(replay, &search->bound);
	end = scan_run(replay, FORWARD, STOPS_MAX, see, search, failure);
	temporary_breakpoint_delete(replay, search->guard);
	search->guard = 0;
	return end != SCAN_FAILED;
}

static enum scan_verdict count_down(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	long long *left = context;

	(void)replay;
	(void)hit;
	(void)failure;
	return --*left > 0 ? SCAN_ON : SCAN_ENOUGH;
}

/* Runs once more to the last stop of the stretch. */
static bool go_last(struct replay *replay, const struct search *search, struct failure *failure)
{
	long long left = search->last;

	return go_event(replay, search->from.event, failure) &&
	       scan_run(replay, FORWARD, STOPS_MAX, count_down, &left, failure) == SCAN_FOUND &&
	       position_update(replay, failure) &&
	       position_same(replay_now(replay), &search->last_at);
}

/* gdb's record of an access, as if the program had come from the other side. */
static json_t *turned(const json_t *forward, const json_t *step)
{
	static const char *const taken[] = {"frame", "thread-id", "stopped-threads", "core"};
	json_t *stop = json_copy((json_t *)forward), *value = json_object_get(forward, "value");
	json_t *old = json_object_get(value, "old"), *new = json_object_get(value, "new");

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (json_object_get(step, taken[i]))
			json_object_set(stop, taken[i], json_object_get(step, taken[i]));
	if (old && new)
		json_object_set_new(stop, "value", json_pack("{s:O,s:O}", "old", new, "new", old));
	json_object_set_new(stop, "reason", json_string("watchpoint-trigger"));
	json_object_del(stop, "bkptno");
	return stop;
}

static bool run_back(
    struct replay *replay, const char *verb, bool stepping, struct failure *failure)
{
	const struct resumption back = {verb, BACKWARD, stepping, -1, 0};
	bool ok;

	replay_moves(replay);
	breakpoints_suspend(replay);
	ok = resume_run(replay, &back, failure);
	breakpoints_resume(replay);
	return ok;
}

/* Goes from the end of an access to its beginning. */
static bool turn_access(struct replay *replay, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *forward = json_incref(gdb_last_stop(gdb)), *stop;
	bool ok = run_back(replay, "step-instruction", true, failure) && !gdb_was_interrupted(gdb);

	if (ok) {
		stop = turned(forward, gdb_last_stop(gdb));
		gdb_amend_stop(gdb, stop);
		json_decref(stop);
	}
	json_decref(forward);
	return ok;
}

/* Goes from the last stop, reached by a run forward, to where a run backward stops at it. */
static bool turn(struct replay *replay, const struct search *search, struct failure *failure)
{
	if (search->last_is_access)
		return turn_access(replay, failure);
	if (stop_kind(replay) == STOP_SIGNAL)
		return run_back(replay, "continue", false, failure) &&
		       stop_kind(replay) == STOP_SIGNAL;
	return stop_kind(replay) == STOP_BREAKPOINT;
}

/* For a search without any stop between the start and the bound. */
static bool go_start(struct replay *replay, struct failure *failure)
{
	if (!go_event(replay, 0, failure))
		return false;
	replay_moves(replay);
	/* If an exec lies behind, the image's first instruction is the edge. */
	return crossing_is_behind(replay) || run_back(replay, "continue", false, failure);
}

/* Goes `back` events before the bound; false if rr cannot stop anywhere before it. */
static bool begin_stretch(struct replay *replay, struct search *search, long long back, bool *first,
    struct failure *failure)
{
	long long start = images_start(replay), event = search->bound.moment.event - back;

	*first = event <= start;
	if (!go_event(replay, *first ? 0 : event, failure))
		return false;
	search->from = *replay_now(replay);
	return true;
}

enum found { FOUND_STOP, FOUND_NONE, FOUND_DOUBT, FOUND_FAILURE };

/* Where the image begins, the search begins too: nothing comes before. */
static bool is_bound(const struct search *search, const struct moment *moment)
{
	return position_same(moment, &search->bound.moment);
}

static enum found judge(const struct search *search)
{
	if (!search->arrived && search->doubtful)
		return FOUND_DOUBT;
	return search->last ? FOUND_STOP : FOUND_NONE;
}

/* Searches one stretch from where the program stands; again without a guard if that cannot be set.
 */
static enum found try_stretch(struct replay *replay, struct search *search, struct failure *failure)
{
	while (!look(replay, search, failure)) {
		if (!worker_goes_on(replay_worker(replay)) || search->unguarded)
			return FOUND_FAILURE;
		*failure = (struct failure){0};
		search->unguarded = true;
		if (!go_event(replay, search->from.event, failure))
			return FOUND_FAILURE;
	}
	return judge(search);
}

/* Searches stretch by stretch, until one contains a stop. */
static enum found find(struct replay *replay, struct search *search, struct failure *failure)
{
	struct moment searched = search->bound.moment;
	bool first = false;

	for (long long back = BACK_FIRST; !first; back *= BACK_GROWS) {
		enum found found;

		if (!begin_stretch(replay, search, back, &first, failure))
			return FOUND_FAILURE;
		if (!is_before(search, replay_now(replay)))
			continue;
		found = try_stretch(replay, search, failure);
		if (found == FOUND_FAILURE)
			search->from = searched;
		if (found != FOUND_NONE)
			return found;
		searched = search->from;
	}
	return is_before(search, &search->from) || is_bound(search, &search->from) ? FOUND_NONE
										   : FOUND_DOUBT;
}

/* After an interrupt: goes to the moment after which everything has been searched. */
static enum last_hit cut(struct replay *replay, struct search *search, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	struct failure late = {0};
	bool some = search->from.event < search->bound.moment.event, ok;

	gdb_shield(gdb, true);
	ok = some ? go_event(replay, search->from.event, &late)
		  : return_ticket_use(replay, &search->place, &late);
	gdb_shield(gdb, false);
	if (ok)
		*failure = (struct failure){0};
	return ok ? LAST_HIT_CUT : LAST_HIT_FAILED;
}

static enum found look_everywhere(
    struct replay *replay, struct search *search, bool *there, struct failure *failure)
{
	switch (last_pass_go(replay, &search->bound, search->place.at_end, failure)) {
	case LAST_PASS_THERE:
		*there = true;
		return FOUND_STOP;
	case LAST_PASS_NONE:
		return FOUND_NONE;
	case LAST_PASS_FAILED:
		return FOUND_FAILURE;
	case LAST_PASS_CANNOT:
		break;
	}
	return find(replay, search, failure);
}

static enum last_hit go(struct replay *replay, struct search *search, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	bool ok = false, there = false;

	switch (look_everywhere(replay, search, &there, failure)) {
	case FOUND_STOP:
		ok = (there || go_last(replay, search, failure)) && turn(replay, search, failure);
		break;
	case FOUND_NONE:
		ok = go_start(replay, failure);
		break;
	case FOUND_DOUBT:
		break;
	case FOUND_FAILURE:
		if (worker->broken)
			return LAST_HIT_FAILED;
		if (worker->interrupt)
			return cut(replay, search, failure);
		break;
	}
	if (ok) {
		replay_run(replay)->passed_over += search->passed;
		return LAST_HIT_THERE;
	}
	*failure = (struct failure){0};
	if (worker->broken || !return_ticket_use(replay, &search->place, failure))
		return LAST_HIT_FAILED;
	/* The stop was found, and the way to it was cut off. */
	if (worker->interrupt) {
		worker_fail_interrupted(worker, failure);
		return LAST_HIT_FAILED;
	}
	return LAST_HIT_UNKNOWN;
}

bool last_hit_can(const struct replay *replay)
{
	size_t next = images_at(replay) + 1;

	/* A run that goes too far must not reach an exec that ends rr. */
	return !breakpoints_count(replay) && !crossing_is_behind(replay) &&
	       (next == images_count(replay) || !images_get(replay, next)->by_thread);
}

bool last_hit_serves(const struct replay *replay)
{
	return breakpoints_have_condition(replay) && last_hit_can(replay);
}

/* gdb's number of the breakpoint at which the search ended; 0: none. */
static int reached(const struct replay *replay, enum last_hit end)
{
	const struct hit hit = scan_hit(replay, BACKWARD);

	return end == LAST_HIT_THERE ? hit.number : 0;
}

enum last_hit last_hit_go(struct replay *replay, struct failure *failure)
{
	struct search search = {.place = return_ticket_hold(replay)};
	enum last_hit end;

	search.bound = fingerprint_take(replay);
	search.from = *replay_now(replay);
	breakpoints_note_hits(replay);
	end = go(replay, &search, failure);
	if (!replay_worker(replay)->broken) {
		breakpoints_forget_hits(replay, reached(replay, end));
		return_ticket_release(replay, &search.place);
	}
	fingerprint_forget(&search.bound);
	return end;
}
