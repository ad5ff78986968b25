/*
 * Checks a step back by a run back, which rr does right: with a breakpoint of our own where the
 * step ended, it stops there, or at what the step has passed.
 */
#include "worker/run/step.h"

#include <stdio.h>
#include <string.h>
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/gdb/settings.h"
#include "worker/moment/position.h"
#include "worker/moment/return_ticket.h"
#include "worker/read/values/accessed.h"
#include "worker/run/sweep/scan.h"
#include "worker/session/images.h"
#include "worker/session/stop_reason.h"

#define PASSES_MAX 200 /* of the place where the step ended, in a loop that it went back over */

/* Where a step back began and ended. */
struct stepped {
	struct return_ticket from, to;
	size_t image;
	json_t *stop; /* gdb's, at the end */
	bool hit;     /* the stop is one of a breakpoint */
};

/* After the step: whether other threads may have run between its ends. */
static bool may_have_passed(struct replay *replay, const struct stepped *stepped)
{
	return !gdb_was_interrupted(replay_gdb(replay)) && images_at(replay) == stepped->image &&
	       stepped->to.moment.event < stepped->from.moment.event;
}

/* A breakpoint where the step ended, for that frame of that thread. 0: the step ended at the edge
 * of the recording, where a run back ends as well. */
static int stop_at_end(struct replay *replay, const struct stepped *stepped)
{
	unsigned long long stack;
	char where[96];

	if (stop_kind(replay) == STOP_START || stop_kind(replay) == STOP_EVENT ||
	    !accessed_number(replay, "(unsigned long) $sp", &stack))
		return 0;
	snprintf(
	    where, sizeof(where), "-c \"$sp == 0x%llx\" *0x%llx", stack, stepped->to.moment.pc);
	return temporary_breakpoint_insert(replay, where);
}

static bool stopped_at(const struct replay *replay, int number)
{
	return number && stop_kind(replay) == STOP_BREAKPOINT &&
	       mi_number(gdb_last_stop(replay_gdb(replay)), "bkptno", 0) == number;
}

static bool is_end(const struct replay *replay, const struct stepped *stepped)
{
	return position_same(replay_now(replay), &stepped->to.moment);
}

/* From where the step began, to the last stop before; *passed: which is not the step's end. */
static bool run_back(struct replay *replay, const struct stepped *stepped, int end, bool *passed,
    struct failure *failure)
{
	const struct resumption back = {"continue", BACKWARD, false, -1, 0};

	for (int i = 0; i < PASSES_MAX; i++) {
		if (!resume_run(replay, &back, failure) || !position_update(replay, failure))
			return false;
		replay_moves(replay);
		if (gdb_was_interrupted(replay_gdb(replay)))
			return *passed = true;
		if (position_order(replay_now(replay), &stepped->to.moment) < 0 ||
		    is_end(replay, stepped))
			return true;
		if (!stopped_at(replay, end))
			return *passed = true;
	}
	failure_set(failure, ERROR_UNSUPPORTED,
	    "the session stands where the step began: go back with rr_continue, which stops at "
	    "the breakpoints of all threads",
	    "the step goes back over too many rounds of a loop to know what other threads hit");
	return_ticket_use(replay, &stepped->from, &(struct failure){0});
	return false;
}

/* The session stands where the step ended, with the stop that it ended with. gdb has numbered the
 * threads anew since. */
static bool stand_at_end(
    struct replay *replay, const struct stepped *stepped, struct failure *failure)
{
	json_auto_t *stop = NULL;

	if (!is_end(replay, stepped) && !return_ticket_use(replay, &stepped->to, failure))
		return false;
	stop = json_copy(stepped->stop);
	json_object_set_new(stop, "thread-id", json_sprintf("%d", replay_selected(replay)->number));
	gdb_amend_stop(replay_gdb(replay), stop);
	return true;
}

static bool look(struct replay *replay, const struct stepped *stepped, struct failure *failure)
{
	int end = stop_at_end(replay, stepped), hit;
	bool passed = false, ok;

	breakpoints_note_hits(replay);
	ok = return_ticket_use(replay, &stepped->from, failure) &&
	     run_back(replay, stepped, end, &passed, failure);
	if (replay_worker(replay)->broken)
		return false;
	hit = scan_hit(replay, BACKWARD).number;
	temporary_breakpoint_delete(replay, end);
	breakpoints_forget_hits(replay, passed && !stepped->hit ? hit : 0);
	return ok && (passed || stand_at_end(replay, stepped, failure));
}

/*
 * Other threads, and be it some that have ended, come to gdb's own breakpoints, as that at the
 * beginning of a function which a step goes back over. gdb would step them back over it, and rr
 * would forget what lies between. For an instruction gdb has no breakpoints.
 */
static bool run_alone(
    struct replay *replay, const struct resumption *resumption, struct failure *failure)
{
	cleanup_setting struct gdb_setting alone = {0};

	if (strcmp(resumption->verb, "step-instruction") != 0)
		alone = gdb_setting_begin(replay_gdb(replay), "scheduler-locking", "on");
	return resume_run(replay, resumption, failure);
}

/* rr has lost all stops between here, where a thread begins, and the start of the recording. */
static bool run_from_beginning(
    struct replay *replay, const struct stepped *stepped, struct failure *failure)
{
	const struct resumption back = {"continue", BACKWARD, false, -1, 0};
	struct failure other = {0};

	if (!resume_run(replay, &back, &other)) {
		*failure = other;
		return false;
	}
	if (scan_hit(replay, BACKWARD).number || gdb_was_interrupted(replay_gdb(replay))) {
		*failure = (struct failure){0};
		return true;
	}
	if (!return_ticket_use(replay, &stepped->from, &other))
		*failure = other;
	return false;
}

/* Which stops of other threads such a step has passed is not known. */
static bool was_cut(struct replay *replay, const struct stepped *stepped, struct failure *failure)
{
	if (!gdb_was_interrupted(replay_gdb(replay)) ||
	    stepped->to.moment.event >= stepped->from.moment.event)
		return false;
	if (return_ticket_use(replay, &stepped->from, failure))
		worker_fail_interrupted(replay_worker(replay), failure);
	return true;
}

/* What other threads hit meanwhile is found afterwards. */
static bool run_looking(struct replay *replay, const struct resumption *resumption,
    struct stepped *stepped, struct failure *failure)
{
	bool ok;

	if (!run_alone(replay, resumption, failure))
		return failure->code == ERROR_UNSUPPORTED &&
		       run_from_beginning(replay, stepped, failure);
	if (!position_update(replay, failure))
		return false;
	stepped->to = return_ticket_here(replay);
	if (was_cut(replay, stepped, failure))
		return false;
	if (!may_have_passed(replay, stepped))
		return true;
	stepped->stop = json_incref(gdb_last_stop(replay_gdb(replay)));
	stepped->hit = scan_hit(replay, BACKWARD).number != 0;
	ok = look(replay, stepped, failure);
	json_decref(stepped->stop);
	return ok;
}

bool step_run(struct replay *replay, const struct resumption *resumption, struct failure *failure)
{
	struct stepped stepped = {.image = images_at(replay)};

	if (resumption->direction == FORWARD || !images_had_threads(replay))
		return resume_run(replay, resumption, failure);
	if (!breakpoints_stop(replay) || breakpoints_count(replay))
		return run_alone(replay, resumption, failure);
	stepped.from = return_ticket_here(replay);
	return run_looking(replay, resumption, &stepped, failure);
}
