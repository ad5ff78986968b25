/*
 * Each breakpoint gets a twin that counts, see passes.h, and is disabled meanwhile. The first run
 * counts the hits up to the bound, where a guard stops it. The second run stops at the last of
 * them. Hits that gdb has to judge stop in both runs, in the same order.
 *
 * It must never take a number for that of another stretch: the first run has to arrive at the very
 * instant of the bound, or it tells nothing.
 */
#include "worker/run/sweep/last_pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/places/hardware.h"
#include "worker/breaks/places/stubs.h"
#include "worker/breaks/passes.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/read/values/values.h"
#include "worker/run/sweep/linked.h"
#include "worker/run/sweep/scan.h"

#define STOPS_MAX  300 /* in a run; with more of them, stretches from the bound on are quicker */
#define TWINS_MAX  HARDWARE_REGISTERS
#define QUOTED_MAX (2 * PASSES_CONDITION_MAX)

struct twin {
	int original, number;	    /* gdb's; number 0: not set */
	char *location, *condition; /* NULL: none */
	bool at_bound;
};

struct pass {
	const struct fingerprint *bound;
	bool at_end;
	char here[FINGERPRINT_CONDITION_MAX]; /* true at the bound, and hardly ever elsewhere */
	struct twin twin[TWINS_MAX];
	size_t count;
	int guard; /* gdb's number; 0: none is needed */
	unsigned long long before;
	/* Of the first run. A stop is one that gdb has judged to be a hit. */
	unsigned long long counted;
	long long stops;
	struct moment last_stop;
	unsigned long long last_stop_after; /* so many that were counted */
	long long wanted;		    /* the stop at which the run is to end; 0: none */
	bool arrived;
};

/* ---- Which breakpoints ----------------------------------------------------------------------- */

/* Whether each place of a breakpoint is one whose passes can be counted; *at_bound: one of them is
 * where the bound is. */
static bool can_count(
    struct replay *replay, const json_t *row, unsigned long long bound, bool *at_bound)
{
	const json_t *place;

	for (size_t i = 0; (place = mi_breakpoint_place(row, i)); i++) {
		const char *at = mi_text(place, "at");
		unsigned long long address = mi_address(place, "addr");

		if (!address || !mi_is_enabled(place) || (at && strstr(at, "@plt>")) ||
		    !passes_begin_once(replay, address))
			return false;
		*at_bound |= address == bound;
	}
	return true;
}

/* False: this one cannot be counted. */
static bool take_row(struct replay *replay, struct pass *pass, const json_t *row)
{
	static const char *const others[] = {"thread", "task", "ignore", "script", "pending"};
	const char *type = mi_text(row, "type"), *location = mi_text(row, "original-location");
	const char *kept = mi_text(row, "disp"), *condition = mi_text(row, "cond");
	struct twin *twin = &pass->twin[pass->count];

	if (!mi_is_enabled(row))
		return true;
	if (pass->count == TWINS_MAX || !location || !type || !kept || strcmp(kept, "keep") != 0 ||
	    (strcmp(type, "breakpoint") != 0 && strcmp(type, "hw breakpoint") != 0))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (json_object_get(row, others[i]))
			return false;
	stubs_hide(row);
	if (!can_count(replay, row, pass->at_end ? 0 : pass->bound->moment.pc, &twin->at_bound))
		return false;
	twin->original = mi_number(row, "number", 0);
	twin->location = strdup(location);
	twin->condition = condition ? strdup(condition) : NULL;
	pass->count++;
	return twin->location && (twin->condition || !condition);
}

static bool take_breakpoints(struct replay *replay, struct pass *pass)
{
	json_t *results = NULL;
	const json_t *row;
	bool ok = true;
	size_t i;

	gdb_must(replay_gdb(replay), &results, "-break-list");
	json_array_foreach(mi_breakpoints(results), i, row)
	{
		ok = ok && take_row(replay, pass, row);
	}
	json_decref(results);
	return ok && pass->count > 0;
}

/* ---- Their twins ----------------------------------------------------------------------------- */

static bool set_twin(struct replay *replay, const struct pass *pass, struct twin *twin,
    const unsigned long long *number)
{
	char condition[PASSES_CONDITION_MAX], quoted[QUOTED_MAX], location[QUOTED_MAX];
	char where[2 * QUOTED_MAX + 16];

	if (!passes_condition(
		condition, twin->condition, twin->at_bound ? pass->here : NULL, number) ||
	    mi_quote(quoted, sizeof(quoted), condition) <= 0 ||
	    mi_quote(location, sizeof(location), twin->location) <= 0)
		return false;
	snprintf(where, sizeof(where), "-h -c %s %s", quoted, location);
	twin->number = temporary_breakpoint_insert(replay, where);
	return twin->number != 0;
}

static void delete_twins(struct replay *replay, struct pass *pass)
{
	for (size_t i = 0; i < pass->count; i++) {
		temporary_breakpoint_delete(replay, pass->twin[i].number);
		pass->twin[i].number = 0;
	}
	temporary_breakpoint_delete(replay, pass->guard);
	pass->guard = 0;
}

/* Where a twin is at the bound, it is the guard too: gdb hands over no condition of two. number:
 * see passes_condition. */
static bool set_twins(struct replay *replay, struct pass *pass, const unsigned long long *number)
{
	char quoted[2 * FINGERPRINT_CONDITION_MAX], where[2 * FINGERPRINT_CONDITION_MAX + 64];
	bool guarded = pass->at_end;
	struct failure full = {0};
	enum hardware_room room;

	for (size_t i = 0; i < pass->count; i++) {
		if (!set_twin(replay, pass, &pass->twin[i], number))
			return false;
		guarded |= pass->twin[i].at_bound;
	}
	if (!guarded) {
		if (mi_quote(quoted, sizeof(quoted), pass->here) <= 0)
			return false;
		snprintf(where, sizeof(where), "-h -c %s *0x%llx", quoted, pass->bound->moment.pc);
		pass->guard = temporary_breakpoint_insert(replay, where);
		if (!pass->guard)
			return false;
	}
	room = hardware_room(replay, &full);
	json_decref(full.details);
	return room == HARDWARE_FITS;
}

static struct twin *twin_of(struct pass *pass, int number)
{
	for (size_t i = 0; i < pass->count; i++)
		if (pass->twin[i].number == number)
			return &pass->twin[i];
	return NULL;
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* Whether gdb would have stopped at the original. A condition that it cannot read stops it. */
static bool holds(struct replay *replay, const struct twin *twin)
{
	char negation[PASSES_CONDITION_MAX], *value = NULL, *type = NULL, why[64] = "";
	bool fails;

	if (!twin->at_bound || !twin->condition)
		return true;
	snprintf(negation, sizeof(negation), "!(%s)", twin->condition);
	fails = values_read(replay, negation, &value, &type, why, sizeof(why)) == 0 && value &&
		(strcmp(value, "1") == 0 || strcmp(value, "true") == 0);
	free(value);
	free(type);
	return !fails;
}

static bool is_behind(const struct pass *pass, const struct moment *moment)
{
	const struct moment *bound = &pass->bound->moment;

	return !pass->at_end && (moment->event > bound->event ||
				    (moment->event == bound->event && moment->tid == bound->tid &&
					moment->ticks > bound->ticks));
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	struct pass *pass = context;
	const struct twin *twin = twin_of(pass, hit->number);
	unsigned long long sum = 0;

	if (!position_update(replay, failure))
		return SCAN_GIVE_UP;
	pass->arrived = !pass->at_end && fingerprint_is_here(replay, pass->bound);
	if (pass->arrived || is_behind(pass, now))
		return SCAN_ENOUGH;
	if (hit->kind == STOP_BREAKPOINT && (!twin || !holds(replay, twin)))
		return SCAN_ON;
	if (!passes_sum(replay, &sum)) {
		failure_set(failure, ERROR_GDB_FAILED, NULL, "what was counted cannot be read");
		return SCAN_GIVE_UP;
	}
	pass->stops++;
	pass->last_stop = *now;
	pass->last_stop_after = sum - pass->before;
	return pass->stops == pass->wanted ? SCAN_ENOUGH : SCAN_ON;
}

/* One run from the start of the image. */
static enum scan_end run(struct replay *replay, struct pass *pass, struct failure *failure)
{
	enum scan_end end = SCAN_FAILED;
	unsigned long long sum = 0;

	pass->stops = 0;
	pass->arrived = false;
	if (passes_sum(replay, &pass->before))
		end = scan_run(replay, FORWARD, STOPS_MAX, see, pass, failure);
	if (end != SCAN_FAILED && !passes_sum(replay, &sum))
		end = SCAN_FAILED;
	pass->counted = sum - pass->before;
	return end;
}

/* Where the originals can have been passed later only. They are off. */
static bool go_linked(struct replay *replay, const struct pass *pass)
{
	cleanup_failure struct failure unfound = {0};
	int numbers[TWINS_MAX];

	for (size_t i = 0; i < pass->count; i++)
		numbers[i] = pass->twin[i].original;
	return linked_go_for(replay, numbers, pass->count, &unfound);
}

/* Whether the first run has looked at all that lies before the bound, and at nothing else. */
static bool is_whole(const struct pass *pass, enum scan_end end)
{
	return pass->at_end ? end == SCAN_EDGE : end == SCAN_FOUND && pass->arrived;
}

/* gdb's stop, as if the original had made it. */
static void name_original(struct replay *replay, const struct twin *twin)
{
	json_t *stop = json_copy((json_t *)gdb_last_stop(replay_gdb(replay)));

	json_object_set_new(stop, "bkptno", json_sprintf("%d", twin->original));
	gdb_amend_stop(replay_gdb(replay), stop);
	json_decref(stop);
}

/* The second run, to the last hit. */
static bool go_last(struct replay *replay, struct pass *pass, struct failure *failure)
{
	const bool judged = pass->stops > 0 && pass->last_stop_after == pass->counted;
	const unsigned long long after = judged ? pass->counted : pass->counted - 1;
	const struct moment there = pass->last_stop;
	const struct twin *twin;
	unsigned long long number;

	pass->wanted = judged ? pass->stops : pass->stops + 1;
	delete_twins(replay, pass);
	if (!(go_linked(replay, pass) || position_go_event(replay, 0, failure)) ||
	    !passes_sum(replay, &number))
		return false;
	number += after;
	if (!set_twins(replay, pass, judged ? NULL : &number) ||
	    run(replay, pass, failure) != SCAN_FOUND || pass->stops != pass->wanted ||
	    pass->last_stop_after != after || pass->arrived)
		return false;
	if (judged && (pass->last_stop.event != there.event ||
			  pass->last_stop.ticks != there.ticks || pass->last_stop.pc != there.pc))
		return false;
	twin = twin_of(pass, scan_hit(replay, FORWARD).number);
	if (twin)
		name_original(replay, twin);
	return true;
}

static enum last_pass go(struct replay *replay, struct pass *pass, struct failure *failure)
{
	const bool linked = go_linked(replay, pass);
	bool ok =
	    set_twins(replay, pass, NULL) && (linked || position_go_event(replay, 0, failure));

	ok = ok && is_whole(pass, run(replay, pass, failure));
	if (ok && pass->counted == 0 && pass->stops == 0)
		return LAST_PASS_NONE;
	if (ok && go_last(replay, pass, failure))
		return LAST_PASS_THERE;
	if (!worker_goes_on(replay_worker(replay)))
		return LAST_PASS_FAILED;
	json_decref(failure->details);
	*failure = (struct failure){0};
	return LAST_PASS_CANNOT;
}

static void switch_originals(struct replay *replay, const struct pass *pass, const char *command)
{
	for (size_t i = 0; i < pass->count && !replay_worker(replay)->broken; i++)
		gdb_must(replay_gdb(replay), NULL, "%s %d", command, pass->twin[i].original);
}

enum last_pass last_pass_go(
    struct replay *replay, const struct fingerprint *bound, bool at_end, struct failure *failure)
{
	struct pass pass = {.bound = bound, .at_end = at_end};
	enum last_pass end = LAST_PASS_CANNOT;
	struct passes_way way = {0};
	unsigned long long sum;

	if (passes_sum(replay, &sum) && take_breakpoints(replay, &pass) &&
	    (at_end || fingerprint_condition(bound, pass.here))) {
		switch_originals(replay, &pass, "-break-disable");
		passes_clear(replay, &way);
		end = go(replay, &pass, failure);
		delete_twins(replay, &pass);
		passes_restore(replay, &way);
		switch_originals(replay, &pass, "-break-enable");
	}
	for (size_t i = 0; i < TWINS_MAX; i++) {
		free(pass.twin[i].location);
		free(pass.twin[i].condition);
	}
	return end;
}
