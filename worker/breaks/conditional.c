#include "worker/breaks/conditional.h"

#include <stdio.h>
#include <string.h>
#include "sandbox/pmu/pmu.h"
#include "worker/gdb/mi.h"
#include "worker/gdb/must.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/hardware.h"
#include "worker/breaks/pending.h"
#include "worker/breaks/stubs.h"

/* The debug registers do for it what an int3 does as well. */
static bool may_choose(const struct breakpoint *breakpoint)
{
	return (breakpoint->condition || breakpoint->thread) && !breakpoint->watches &&
	       !breakpoint->by_int3;
}

/*
 * Whether gdb can hand the condition to rr. Where gdb checks it itself, nothing is won, and an
 * interrupt mostly meets gdb and rr between two hits, and is lost.
 */
static bool can_hand_over(struct replay *replay, const char *location, const char *condition)
{
	char command[2 * REPLAY_EXPRESSION_MAX + 160];

	/* -at takes no address; without it gdb looks names up where the program stands. */
	bool by_address = location[0] == '*';

	return (size_t)snprintf(command, sizeof(command), "maint agent-eval %s%s%s%s",
		   by_address ? "" : "-at ", by_address ? "" : location, by_address ? "" : ",",
		   condition) < sizeof(command) &&
	       gdb_console(replay->gdb, NULL, command) == GDB_DONE;
}

/* Not where it counts: gdb begins to count anew with another breakpoint. Of a library that is not
 * loaded yet, nobody knows how many places it has. */
static bool belongs_in_hardware(
    const struct replay *replay, const struct breakpoint *breakpoint, const json_t *bkpt)
{
	return may_choose(breakpoint) && !breakpoint->temporary && !breakpoint->ignore_count &&
	       strcmp(replay->pmu, pmu_kind_name(PMU_SOFTWARE)) == 0 && !hardware_is(bkpt) &&
	       !pending_waits(bkpt);
}

json_t *conditional_in_hardware(struct replay *replay, const struct breakpoint *breakpoint,
    json_t *bkpt, const char *when, const char *arguments)
{
	if (!belongs_in_hardware(replay, breakpoint, bkpt) ||
	    !can_hand_over(replay, breakpoint->what, when))
		return bkpt;
	bkpt = hardware_instead(replay, bkpt, arguments);
	stubs_leave(replay, bkpt);
	return bkpt;
}

/* Sets it as an int3. The row is gdb's. */
static void move_to_int3(struct replay *replay, struct breakpoint *breakpoint, const json_t *row)
{
	struct failure ignored = {0};

	breakpoint->by_int3 = true;
	breakpoint->ignore_count = mi_number(row, "ignore", 0);
	breakpoints_replace(replay, breakpoint, breakpoint, row, &ignored);
}

static bool any_may_choose(const struct replay *replay)
{
	for (size_t i = 0; i < replay->breakpoints.count; i++) {
		const struct breakpoint *breakpoint = &replay->breakpoints.entries[i];

		if (breakpoint->gdb && !breakpoint->disabled && may_choose(breakpoint))
			return true;
	}
	return false;
}

bool conditional_leave(struct replay *replay)
{
	json_t *results = NULL;
	bool left = false;

	if (!any_may_choose(replay))
		return false;
	gdb_must(replay->gdb, &results, "-break-list");
	for (size_t i = 0; i < replay->breakpoints.count; i++) {
		struct breakpoint *breakpoint = &replay->breakpoints.entries[i];
		const json_t *row = mi_breakpoint_row(mi_breakpoints(results), breakpoint->gdb);

		if (!breakpoint->gdb || !may_choose(breakpoint) || !row || !hardware_is(row))
			continue;
		move_to_int3(replay, breakpoint, row);
		left = true;
	}
	json_decref(results);
	return left;
}

bool conditional_fit(struct replay *replay, struct failure *failure)
{
	struct failure full = {0};
	enum hardware_room room = hardware_room(replay, &full);

	if (room != HARDWARE_FITS && conditional_leave(replay)) {
		full = (struct failure){0};
		room = hardware_room(replay, &full);
	}
	if (room == HARDWARE_FULL)
		*failure = full;
	return room != HARDWARE_FULL;
}
