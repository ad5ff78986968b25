/*
 * Recognizes a call by the return address that it pushed: the call was the last to touch those
 * bytes. So one step back shows whether a function returned, and a watchpoint on the bytes finds
 * its call.
 */
#include "worker/run/reverse_next.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/accessed.h"
#include "worker/read/frames/frames.h"
#include "worker/moment/crossing.h"
#include "worker/read/code/preceding.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/position.h"
#include "worker/run/step.h"
#include "worker/session/stop_reason.h"
#include "worker/breaks/watchpoint.h"

#define ACCESSES_MAX 100 /* accesses to a return address by the function itself */

/* The instruction that the program is about to run; its address is *pc. */
static bool read_next(
    struct replay *replay, unsigned long long *pc, struct instruction *instruction)
{
	return accessed_number(replay, "(unsigned long) $pc", pc) &&
	       accessed_instruction(replay, *pc, instruction);
}

/* The return address that a return finds on the stack. */
struct pushed {
	unsigned long long slot; /* where it lies */
	unsigned long long back; /* the address that it leads to */
};

/* Whether the program is about to return to where a call may have come from. */
static bool is_return(struct replay *replay, struct pushed *pushed)
{
	struct instruction instruction;
	unsigned long long pc;

	return read_next(replay, &pc, &instruction) && instruction.returns &&
	       accessed_number(replay, "(unsigned long) $sp", &pushed->slot) &&
	       accessed_number(replay, "*(unsigned long *) $sp", &pushed->back) &&
	       preceding_may_call(replay, pushed->back);
}

/* Whether the program is about to make the call that pushes this. */
static bool is_call(struct replay *replay, const struct pushed *pushed)
{
	struct instruction instruction;
	unsigned long long pc;

	return read_next(replay, &pc, &instruction) && instruction.calls &&
	       pc + instruction.length == pushed->back && accessed_is_written(replay, pushed->slot);
}

static bool stopped_at(const struct replay *replay, int watch)
{
	const json_t *stop = gdb_last_stop(replay_gdb(replay));

	return stop_kind(replay) == STOP_WATCHPOINT &&
	       mi_number(json_object_get(stop, "hw-awpt"), "number", 0) == watch;
}

enum way { WAY_FOUND, WAY_STOPPED, WAY_LOST, WAY_FAILED };

/* The place of a run back that did not end at the return address. */
static enum way way_of(const struct replay *replay)
{
	enum stop_kind kind = stop_kind(replay);
	bool edge =
	    kind == STOP_START || (kind == STOP_EVENT && !gdb_was_interrupted(replay_gdb(replay)));

	return edge ? WAY_LOST : WAY_STOPPED;
}

/* Goes back to the call, unless the program stops on the way. Code other than a call may have
 * written the address, and the function that was called may have read it. */
static enum way run_to_call(
    struct replay *replay, int watch, const struct pushed *pushed, struct failure *failure)
{
	const struct resumption back = {"continue", BACKWARD, false, -1, 0};

	for (int i = 0; i < ACCESSES_MAX; i++) {
		if (!resume_run(replay, &back, failure) || !position_update(replay, failure))
			return WAY_FAILED;
		replay_moves(replay);
		if (!stopped_at(replay, watch))
			return way_of(replay);
		if (is_call(replay, pushed))
			return WAY_FOUND;
		if (accessed_is_written(replay, pushed->slot))
			break;
	}
	return WAY_LOST;
}

/* Back to the call that pushed this; the program stands where it did if there is none. *forked: the
 * process begins with a fork, and the call was before. */
static enum way go_to_call(
    struct replay *replay, const struct pushed *pushed, bool *forked, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	json_auto_t *here = json_incref(gdb_last_stop(gdb));
	struct return_ticket before = return_ticket_here(replay);
	enum way way = WAY_FAILED;
	char expression[48];
	int watch;

	snprintf(expression, sizeof(expression), "*(unsigned long *) 0x%llx", pushed->slot);
	watch = watchpoint_insert(replay, expression, WATCH_ACCESS, true, NULL, failure);
	if (watch)
		way = run_to_call(replay, watch, pushed, failure);
	temporary_breakpoint_delete(replay, watch);
	*forked = way == WAY_LOST && crossing_is_at_fork(replay);
	if (way == WAY_FOUND)
		stop_call_it_step(replay);
	else if (way == WAY_LOST && !return_ticket_use(replay, &before, failure))
		way = WAY_FAILED;
	if (way == WAY_LOST)
		gdb_amend_stop(gdb, here);
	return way;
}

/* *before: as of reverse_next. 0 after another step. */
static bool back_once(struct replay *replay, unsigned long long *before, struct failure *failure)
{
	const struct resumption one = {"step-instruction", BACKWARD, true, -1, 0};
	struct pushed pushed;
	bool forked;

	*before = 0;
	if (!step_run(replay, &one, failure))
		return false;
	if (stop_kind(replay) != STOP_STEP)
		return true;
	replay_moves(replay);
	if (!position_update(replay, failure))
		return false;
	if (!is_return(replay, &pushed))
		return true;
	if (go_to_call(replay, &pushed, &forked, failure) == WAY_FAILED)
		return false;
	if (forked)
		*before = pushed.slot;
	return true;
}

/* Takes the program back to where it stood. */
static bool stay(struct replay *replay, const struct return_ticket *before, struct failure *failure)
{
	struct failure lost = {0};

	if (replay_worker(replay)->broken)
		return false;
	if (strstr(failure->message, "watches four"))
		failure_set_hint(failure, "the search for the call needs a watchpoint of its own: "
					  "remove or disable one");
	if (!return_ticket_use(replay, before, &lost))
		*failure = lost;
	return false;
}

bool reverse_next(struct replay *replay, long long count, unsigned long long *before_fork,
    struct failure *failure)
{
	struct return_ticket before = return_ticket_here(replay);
	unsigned long long slot = 0;

	for (long long done = 0; done < count; done++) {
		if (!back_once(replay, &slot, failure))
			return stay(replay, &before, failure);
		if (stop_kind(replay) != STOP_STEP || (before_fork && slot))
			break;
		worker_progress(replay_worker(replay), (double)(done + 1), (double)count, NULL);
	}
	if (before_fork)
		*before_fork = slot;
	return true;
}

/* What the call of frame `level` pushed. A frame that is inlined, or that a signal began, has no
 * call of its own. */
static bool read_pushed(struct replay *replay, int level, struct pushed *pushed)
{
	unsigned long long pc, top, size, on_stack;
	char expression[48];

	if (!frames_number(replay, level, "$pc", &pc) ||
	    !frames_number(replay, level + 1, "$pc", &pushed->back) ||
	    !frames_number(replay, level + 1, "$sp", &top) ||
	    !frames_number(replay, level, "sizeof(void *)", &size) || pc == pushed->back)
		return false;
	pushed->slot = top - size;
	snprintf(expression, sizeof(expression), "*(unsigned long *) 0x%llx", pushed->slot);
	return accessed_number(replay, expression, &on_stack) && on_stack == pushed->back &&
	       preceding_may_call(replay, pushed->back);
}

enum back back_out(struct replay *replay, int level, struct failure *failure)
{
	struct return_ticket before = return_ticket_here(replay);
	struct pushed pushed;
	bool forked;

	if (!read_pushed(replay, level, &pushed))
		return BACK_UNKNOWN;
	switch (go_to_call(replay, &pushed, &forked, failure)) {
	case WAY_FOUND:
	case WAY_STOPPED:
		return BACK_DONE;
	case WAY_LOST:
		return BACK_UNKNOWN;
	case WAY_FAILED:
		break;
	}
	stay(replay, &before, failure);
	return BACK_FAILED;
}
