/*
 * A breakpoint with a condition gives its register to what can do with nothing else.
 */
#include "worker/breaks/registers.h"

#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/breaks/conditional.h"
#include "worker/breaks/places/hardware.h"
#include "worker/breaks/placement.h"
#include "worker/session/breakpoint.h"

/* Sets it as an int3. The row is gdb's. */
static void move_to_int3(struct replay *replay, struct breakpoint *breakpoint, const json_t *row)
{
	struct failure ignored = {0};

	breakpoint->by_int3 = true;
	breakpoint->ignore_count = mi_number(row, "ignore", 0);
	placement_replace(replay, breakpoint, breakpoint, row, &ignored);
}

static bool any_may_choose(const struct replay *replay)
{
	struct breakpoint_list *list = replay_breakpoints(replay);

	for (size_t i = 0; i < list->count; i++) {
		const struct breakpoint *breakpoint = &list->entries[i];

		if (breakpoint->gdb && !breakpoint->disabled && conditional_may_choose(breakpoint))
			return true;
	}
	return false;
}

bool registers_leave(struct replay *replay)
{
	json_t *results = NULL;
	bool left = false;

	if (!any_may_choose(replay))
		return false;
	gdb_must(replay_gdb(replay), &results, "-break-list");
	for (size_t i = 0; i < replay_breakpoints(replay)->count; i++) {
		struct breakpoint *breakpoint = &replay_breakpoints(replay)->entries[i];
		const json_t *row = mi_breakpoint_row(mi_breakpoints(results), breakpoint->gdb);

		if (!breakpoint->gdb || !conditional_may_choose(breakpoint) || !row ||
		    !hardware_is(row))
			continue;
		move_to_int3(replay, breakpoint, row);
		left = true;
	}
	json_decref(results);
	return left;
}

bool registers_make_room(struct replay *replay, struct failure *failure)
{
	struct failure full = {0};
	enum hardware_room room = hardware_room(replay, &full);

	if (room != HARDWARE_FITS && registers_leave(replay)) {
		full = (struct failure){0};
		room = hardware_room(replay, &full);
	}
	if (room == HARDWARE_FULL)
		*failure = full;
	return room != HARDWARE_FULL;
}

void registers_lend(struct replay *replay, struct registers_lent *lent)
{
	struct failure ignored = {0};
	json_t *results = NULL;
	const json_t *row;
	size_t i;

	if (hardware_room(replay, &ignored) == HARDWARE_FITS)
		return;
	gdb_must(replay_gdb(replay), &results, "-break-list");
	json_array_foreach(mi_breakpoints(results), i, row)
	{
		if (!hardware_watches(row) || !mi_is_enabled(row) ||
		    lent->count == REGISTERS_LENT_MAX)
			continue;
		lent->numbers[lent->count] = mi_number(row, "number", 0);
		gdb_must(
		    replay_gdb(replay), NULL, "-break-disable %d", lent->numbers[lent->count++]);
	}
	json_decref(results);
}

void registers_take_back(struct replay *replay, const struct registers_lent *lent)
{
	for (size_t i = 0; i < lent->count && !replay_worker(replay)->broken; i++)
		gdb_must(replay_gdb(replay), NULL, "-break-enable %d", lent->numbers[i]);
}
