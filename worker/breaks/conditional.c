#include "worker/breaks/conditional.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/breaks/places/hardware.h"
#include "worker/breaks/places/pending.h"
#include "worker/breaks/places/stubs.h"
#include "worker/session/breakpoint.h"

bool conditional_may_choose(const struct breakpoint *breakpoint)
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
	       gdb_console(replay_gdb(replay), NULL, command) == GDB_DONE;
}

/* Not where it counts: gdb begins to count anew with another breakpoint. Of a library that is not
 * loaded yet, nobody knows how many places it has. */
static bool belongs_in_hardware(
    const struct replay *replay, const struct breakpoint *breakpoint, const json_t *bkpt)
{
	return conditional_may_choose(breakpoint) && !breakpoint->temporary &&
	       !breakpoint->ignore_count && replay_counts_in_software(replay) &&
	       !hardware_is(bkpt) && !pending_waits(bkpt);
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
