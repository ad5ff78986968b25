/*
 * gdb stops where the loader tells debuggers of libraries. A program that is linked statically does
 * not stop there before its own code begins.
 */
#include "worker/run/sweep/linked.h"

#include <stdio.h>
#include <string.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/gdb/exchange.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/moment/position.h"
#include "worker/moment/signals.h"
#include "worker/read/code/auxv.h"
#include "worker/read/code/indirect.h"
#include "worker/run/sweep/resume.h"
#include "worker/session/images.h"
#include "worker/session/loaded.h"

#define STOPS_MAX 16

static struct linked *linked_of(struct replay *replay)
{
	return &replay_loaded(replay)->linked;
}

static const struct solibs *solibs_of(struct replay *replay)
{
	return &gdb_exchange(replay_gdb(replay))->solibs;
}

/* On to where gdb knows more libraries than where the image begins. */
static bool run_to_load(struct replay *replay, unsigned changes, struct failure *failure)
{
	const struct resumption on = {"continue", FORWARD, false, -1, 0};

	for (int i = 0; i < STOPS_MAX; i++) {
		const char *reason;

		if (!resume_run(replay, &on, failure) || gdb_was_interrupted(replay_gdb(replay)))
			return false;
		reason = mi_text(gdb_last_stop(replay_gdb(replay)), "reason");
		if (!reason || strcmp(reason, "solib-event") != 0)
			return false;
		if (solibs_of(replay)->changes != changes)
			return true;
	}
	return false;
}

/* One instruction on: to leave the place of its own breakpoint, gdb would take a step first. */
static bool take(struct replay *replay, struct linked *linked, struct failure *failure)
{
	if (!gdb_check(replay_gdb(replay), gdb_run(replay_gdb(replay), "-exec-step-instruction"),
		ERROR_RR_FAILED, NULL, failure) ||
	    !position_update(replay, failure))
		return false;
	position_take_sum(replay);
	linked->at = *replay_now(replay);
	linked->held = position_hold(replay);
	linked->resolves = indirect_may_be_in(replay_executable(replay));
	return linked->held != 0;
}

static bool find(struct replay *replay, struct linked *linked, struct failure *failure)
{
	const unsigned long long entry = auxv_entry(
	    replay, "the libraries that the program is linked with were not looked through");
	int number = entry ? temporary_breakpoint_insert_at(replay, entry) : 0;
	bool ok = number && solibs_ranges(solibs_of(replay), linked->early, LINKED_EARLY_MAX,
				&linked->early_count);

	gdb_must(replay_gdb(replay), NULL, "-gdb-set stop-on-solib-events 1");
	signals_pass_all(replay);
	ok = ok && run_to_load(replay, solibs_of(replay)->changes, failure);
	signals_stop_again(replay);
	if (!replay_worker(replay)->broken)
		gdb_must(replay_gdb(replay), NULL, "-gdb-set stop-on-solib-events 0");
	temporary_breakpoint_delete(replay, number);
	return ok && take(replay, linked, failure);
}

bool linked_go(struct replay *replay, struct failure *failure)
{
	struct linked *linked = linked_of(replay);
	bool found;

	if (linked->image != images_number(replay))
		*linked = (struct linked){.image = images_number(replay)};
	if (position_is_held(replay, linked->held))
		return position_restore(replay, linked->held, &linked->at, failure);
	if (linked->none || images_at_forked(replay) || !position_go_event(replay, 0, failure))
		return false;
	found = find(replay, linked, failure);
	linked->none = !found && worker_goes_on(replay_worker(replay));
	return found;
}

/* ---- What cannot have run before ------------------------------------------------------------- */

static bool is_early(const struct linked *linked, unsigned long long address)
{
	for (size_t i = 0; i < linked->early_count; i++)
		if (linked->early[i].from <= address && address < linked->early[i].to)
			return true;
	return false;
}

/* Of the program itself, or the kernel's. */
static bool is_of_no_library(struct replay *replay, unsigned long long address)
{
	struct solib_range ranges[256];
	size_t count;

	if (!solibs_ranges(solibs_of(replay), ranges, sizeof(ranges) / sizeof(*ranges), &count))
		return true;
	for (size_t i = 0; i < count; i++)
		if (ranges[i].from <= address && address < ranges[i].to)
			return false;
	return true;
}

static bool row_is_later(struct replay *replay, const json_t *row)
{
	const struct linked *linked = linked_of(replay);
	const char *type = mi_text(row, "type");
	const json_t *place;

	if (!type || !strstr(type, "breakpoint"))
		return false;
	for (size_t i = 0; (place = mi_breakpoint_place(row, i)); i++) {
		unsigned long long address = mi_address(place, "addr");

		if (!mi_is_enabled(place))
			continue;
		if (!address || is_early(linked, address) ||
		    (linked->resolves && is_of_no_library(replay, address)))
			return false;
	}
	return true;
}

static bool all_are_later(struct replay *replay, const int *numbers, size_t count)
{
	json_auto_t *results = NULL;

	gdb_must(replay_gdb(replay), &results, "-break-list");
	for (size_t i = 0; i < count; i++)
		if (!row_is_later(replay, mi_breakpoint_row(mi_breakpoints(results), numbers[i])))
			return false;
	return true;
}

bool linked_go_for(struct replay *replay, const int *numbers, size_t count, struct failure *failure)
{
	const struct linked *linked = linked_of(replay);

	return (!linked->held || all_are_later(replay, numbers, count)) &&
	       linked_go(replay, failure) && all_are_later(replay, numbers, count);
}

/* Whoever ran the program may not have looked where it stopped. */
static bool stands_at_start(struct replay *replay)
{
	const struct moment *now = replay_now(replay);
	cleanup_failure struct failure ignored = {0};

	return !images_at_forked(replay) && now->event == images_start(replay) && !now->ticks &&
	       position_update(replay, &ignored) && now->event == images_start(replay) &&
	       !now->ticks && now->pc == replay_first_pc(replay) && !replay_is_at_signal(replay) &&
	       replay_loaded(replay)->agrees;
}

bool linked_go_start(struct replay *replay, int number, struct failure *failure)
{
	const struct moment start = {.event = images_start(replay)};
	cleanup_failure struct failure unfound = {0};

	if (stands_at_start(replay))
		return true;
	if (!loaded_same(replay, &start) && linked_go_for(replay, &number, 1, &unfound))
		return true;
	return !replay_worker(replay)->broken && position_go_event(replay, 0, failure);
}
