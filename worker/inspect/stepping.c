/*
 * Steps by lines, instructions and functions, and describes the stop. A step back over a fork goes
 * on in the parent as if the two were one process.
 */
#include <stdlib.h>
#include <string.h>
#include "worker/breaks/breakpoints.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/says.h"
#include "worker/gdb/must.h"
#include "worker/inspect/evaluate.h"
#include "worker/inspect/execution.h"
#include "worker/inspect/handover.h"
#include "worker/moment/position.h"
#include "worker/moment/return_ticket.h"
#include "worker/read/frames/callers.h"
#include "worker/read/frames/frames.h"
#include "worker/run/sweep/resume.h"
#include "worker/run/reverse_next.h"
#include "worker/run/step.h"
#include "worker/run/step_out.h"
#include "worker/run/stop.h"
#include "worker/serve/begins.h"
#include "worker/serve/handlers.h"
#include "worker/session/images.h"
#include "worker/session/stop_reason.h"

#define INSTRUCTIONS_AT_ONCE  200
#define LINES_AT_ONCE	      20
#define LINE_INSTRUCTIONS_MAX 2000
#define ADDRESS_BYTES	      8 /* a 32-bit program's frame is not found, and it stays at the fork */

/* rr_step and rr_next differ only in these verbs. */
struct stride {
	const char *line, *instruction; /* verbs of gdb */
	enum step_unit unit;
	bool reverse;
	long long count;
	const json_t *evaluate;
};

static enum direction direction_of(bool reverse)
{
	return reverse ? BACKWARD : FORWARD;
}

static struct resumption resumption_of(const struct stride *stride)
{
	return (struct resumption){stride->unit == STEP_LINE ? stride->line : stride->instruction,
	    direction_of(stride->reverse), true, -1, 0};
}

/* By one of step_out.h's ways. */
static json_t *go_out(
    struct replay *replay, enum direction direction, step_out_run *go, struct failure *failure)
{
	struct step_out out = {0};
	json_t *stop;

	if (!go(replay, direction, &out, failure))
		return NULL;
	stop = execution_answer(replay, direction, out.arrived ? "step" : NULL, failure);
	if (out.note)
		stop_add_note(stop, json_string(out.note));
	return stop;
}

static bool ended_as_step(const struct replay *replay)
{
	return stop_kind(replay) == STOP_STEP;
}

/* Steps in portions, to report progress between them. */
static bool step_times(
    struct replay *replay, const struct resumption *step, long long count, struct failure *failure)
{
	long long portion =
	    strstr(step->verb, "-instruction") ? INSTRUCTIONS_AT_ONCE : LINES_AT_ONCE;

	if (step->direction == BACKWARD && strcmp(step->verb, "next-instruction") == 0)
		return reverse_next(replay, count, NULL, failure);
	for (long long done = 0; done < count; done += portion) {
		struct resumption some = *step;

		some.count = count - done < portion ? count - done : portion;
		if (!step_run(replay, &some, failure))
			return false;
		if (!ended_as_step(replay))
			break;
		worker_progress(replay_worker(replay), (double)done, (double)count, NULL);
	}
	return true;
}

/* The next step begins where the program stands. */
static bool stand_here(struct replay *replay, struct failure *failure)
{
	replay_moves(replay);
	return position_update(replay, failure);
}

/* Where a call is passed over that was made before the fork, with its return address in that slot:
 * to the call in the parent. */
static bool over_call(struct replay *replay, struct handover *handover, unsigned long long slot,
    struct failure *failure)
{
	bool ok;
	int level;

	breakpoints_suspend(replay);
	ok = position_go_event(replay, 0, failure);
	breakpoints_resume(replay);
	if (!ok || !handover_cross(replay, handover, failure))
		return false;
	level = frames_at_address(replay, slot + ADDRESS_BYTES);
	return level < 0 || step_out_finish(replay, BACKWARD, level, failure);
}

/* *slot: as reverse_next's. */
static bool some_back(struct replay *replay, const struct resumption *one, long long count,
    unsigned long long *slot, struct failure *failure)
{
	*slot = 0;
	return strcmp(one->verb, "next-instruction") == 0
		   ? reverse_next(replay, count, slot, failure)
		   : step_times(replay, one, count, failure);
}

/* Instructions, also over forks. How many of a portion were done before it came to a fork is not
 * known: it goes back, and does them one by one. */
static bool instructions_back(struct replay *replay, struct handover *handover,
    const struct resumption *one, long long count, struct failure *failure)
{
	long long portion = INSTRUCTIONS_AT_ONCE;
	unsigned long long slot;
	bool due;

	for (long long done = 0; done < count;) {
		const struct return_ticket before = return_ticket_here(replay);
		long long some = count - done < portion ? count - done : portion;

		if (handover_is_at_fork(replay)) {
			if (!handover_cross(replay, handover, failure))
				return false;
			portion = INSTRUCTIONS_AT_ONCE;
			done++;
			continue;
		}
		if (!some_back(replay, one, some, &slot, failure) ||
		    !handover_is_due(replay, handover, &due, failure))
			return false;
		if (due || (slot && some > 1)) {
			if (some > 1 && !return_ticket_use(replay, &before, failure))
				return false;
			portion = 1;
			continue;
		}
		if (slot && !over_call(replay, handover, slot, failure))
			return false;
		if (!ended_as_step(replay))
			break;
		done += some;
		if (done < count && !stand_here(replay, failure))
			return false;
	}
	return true;
}

/* Whether the program is about to run the first instruction of a line. */
static bool is_at_line(struct replay *replay)
{
	return hex_behind(gdb_shown(replay_gdb(replay), NULL, "info line *$pc"),
		   " starts at address ") == replay_now(replay)->pc;
}

/* In the parent, before the fork: back to the line that called it in the frame of the step. *on:
 * the step goes on there, to the beginning of that line. */
static bool back_to_frame(
    struct replay *replay, unsigned long long frame, bool *on, struct failure *failure)
{
	int level = frames_at_address(replay, frame);

	*on = false;
	if (level < 0)
		return true;
	if (level > 0) {
		if (!step_out_finish(replay, BACKWARD, level - 1, failure))
			return false;
		if (!step_out_came(replay, BACKWARD))
			return true;
	}
	if (!stand_here(replay, failure))
		return false;
	*on = !is_at_line(replay);
	return true;
}

/* From within a line to its beginning, where gdb 16 would go on to the line before. */
static bool back_to_line(struct replay *replay, struct failure *failure)
{
	for (int i = 0; i < LINE_INSTRUCTIONS_MAX && !is_at_line(replay); i++) {
		if (!reverse_next(replay, 1, NULL, failure))
			return false;
		if (!ended_as_step(replay))
			return true;
		if (!stand_here(replay, failure))
			return false;
	}
	return true;
}

/* One line in code that has lines, also over forks. */
static bool line_back(struct replay *replay, struct handover *handover,
    const struct resumption *one, struct failure *failure)
{
	unsigned long long frame = frames_address_at(replay, 0);
	bool due, on;

	if (handover_is_at_fork(replay) && !handover_cross(replay, handover, failure))
		return false;
	if (!step_run(replay, one, failure) || !handover_is_due(replay, handover, &due, failure))
		return false;
	while (due) {
		if (!handover_cross(replay, handover, failure) ||
		    !back_to_frame(replay, frame, &on, failure))
			return false;
		if (!on)
			return true;
		if (!back_to_line(replay, failure) ||
		    !handover_is_due(replay, handover, &due, failure))
			return false;
	}
	return true;
}

/* To a line, from code that has none, also over forks. */
static bool out_back(
    struct replay *replay, struct handover *handover, struct step_out *out, struct failure *failure)
{
	bool due = handover_is_at_fork(replay);

	do {
		if (due && !handover_cross(replay, handover, failure))
			return false;
		*out = (struct step_out){0};
		if (!step_out_to_line(replay, BACKWARD, out, failure) ||
		    !handover_is_due(replay, handover, &due, failure))
			return false;
	} while (due);
	return true;
}

static bool lines_back(struct replay *replay, struct handover *handover,
    const struct resumption *one, long long count, struct step_out *out, struct failure *failure)
{
	bool has_line;

	for (long long done = 0; done < count; done++) {
		if ((done && !stand_here(replay, failure)) ||
		    !step_out_has_line(replay, &has_line, failure))
			return false;
		if (!has_line)
			return out_back(replay, handover, out, failure);
		if (!line_back(replay, handover, one, failure))
			return false;
		if (!ended_as_step(replay))
			break;
		worker_progress(replay_worker(replay), (double)(done + 1), (double)count, NULL);
	}
	return true;
}

/* Back, in a process that was forked. */
static json_t *step_back(struct replay *replay, const struct stride *stride,
    struct handover *handover, struct failure *failure)
{
	const struct resumption one = resumption_of(stride);
	struct step_out out = {0};
	json_t *stop;
	bool ok = stride->unit == STEP_LINE
		      ? lines_back(replay, handover, &one, stride->count, &out, failure)
		      : instructions_back(replay, handover, &one, stride->count, failure);

	if (!ok)
		return NULL;
	stop = execution_answer(replay, BACKWARD, out.arrived ? "step" : NULL, failure);
	if (out.note)
		stop_add_note(stop, json_string(out.note));
	return stop;
}

static json_t *step(struct replay *replay, const struct stride *stride, struct handover *handover,
    struct failure *failure)
{
	enum direction direction = direction_of(stride->reverse);
	const struct resumption one = resumption_of(stride);
	bool has_line;

	if (execution_is_over(replay, direction))
		return execution_answer(replay, direction, NULL, failure);
	if (handover->place)
		return step_back(replay, stride, handover, failure);
	if (stride->unit == STEP_LINE && !step_out_has_line(replay, &has_line, failure))
		return NULL;
	if (stride->unit == STEP_LINE && !has_line)
		return go_out(replay, direction, step_out_to_line, failure);
	if (!step_times(replay, &one, stride->count, failure))
		return NULL;
	return execution_answer(replay, direction, NULL, failure);
}

/* What a run back begins with and ends with. */
struct way_back {
	bool aside; /* breakpoints that cannot stop it */
	struct handover handover;
};

static struct way_back begin(struct replay *replay, bool reverse)
{
	struct way_back back = {0};

	if (!reverse)
		return back;
	back.handover = handover_begin(replay, NULL);
	back.aside = breakpoints_set_aside(replay);
	return back;
}

static json_t *end(
    struct replay *replay, struct way_back *back, json_t *stop, struct failure *failure)
{
	breakpoints_put_back(replay);
	if (back->aside)
		stop_add_note(stop,
		    json_string("watchpoints with a condition do not stop a step back, because "
				"gdb would check the condition before the write: rr_continue with "
				"reverse checks it after the write"));
	return handover_end(&back->handover, replay, stop, failure);
}

static json_t *step_answer(
    struct replay *replay, const struct stride *stride, struct failure *failure)
{
	struct way_back back;
	json_t *stop;

	if (!execution_depart(replay, stride->evaluate, failure))
		return NULL;
	back = begin(replay, stride->reverse);
	stop = step(replay, stride, &back.handover, failure);
	return evaluate_beside(replay, end(replay, &back, stop, failure), stride->evaluate);
}

json_t *tool_step(struct replay *replay, const struct step_args *args, struct failure *failure)
{
	return step_answer(replay,
	    &(struct stride){
		"step", "step-instruction", args->unit, args->reverse, args->count, args->evaluate},
	    failure);
}

json_t *tool_next(struct replay *replay, const struct next_args *args, struct failure *failure)
{
	return step_answer(replay,
	    &(struct stride){
		"next", "next-instruction", args->unit, args->reverse, args->count, args->evaluate},
	    failure);
}

/* After a finish back that found no call: whether the frame was there at the fork already. Then the
 * program stands at the fork, else where it did. */
static bool began_before_fork(
    struct replay *replay, unsigned long long frame, bool *before, struct failure *failure)
{
	const struct return_ticket here = return_ticket_here(replay);
	bool ok;

	*before = false;
	if (images_at(replay) > 0)
		return true;
	breakpoints_suspend(replay);
	ok = position_go_event(replay, 0, failure);
	*before = ok && handover_is_at_fork(replay) && frames_at_address(replay, frame) >= 0;
	ok = ok && (*before || return_ticket_use(replay, &here, failure));
	breakpoints_resume(replay);
	return ok;
}

/* Back out of a frame of the present process, if its call is there. *due: it is before the fork,
 * where the program stands now. */
static bool out_of_frame(struct replay *replay, const struct handover *handover, int level,
    unsigned long long frame, bool *due, struct failure *failure)
{
	struct failure not_here = {0};

	*due = handover_is_at_fork(replay);
	if (*due)
		return true;
	if (step_out_finish(replay, BACKWARD, level, &not_here))
		return handover_is_due(replay, handover, due, failure);
	if (not_here.code == ERROR_UNSUPPORTED && worker_goes_on(replay_worker(replay))) {
		if (!began_before_fork(replay, frame, due, failure))
			return false;
		if (*due)
			return true;
	}
	*failure = not_here;
	return false;
}

/* Out of the frame and over forks. *came as of step_out_came. */
static bool finish_back(struct replay *replay, struct handover *handover, int level, bool *came,
    struct failure *failure)
{
	unsigned long long frame = frames_address_at(replay, level);
	bool due = true;

	*came = false;
	while (level >= 0) {
		if (!out_of_frame(replay, handover, level, frame, &due, failure))
			return false;
		if (!due) {
			*came = step_out_came(replay, BACKWARD);
			return true;
		}
		if (!handover_cross(replay, handover, failure))
			return false;
		level = frames_at_address(replay, frame);
	}
	return true;
}

static bool finish_once(struct replay *replay, enum direction direction, int level,
    struct handover *handover, bool *came, struct failure *failure)
{
	if (handover->place)
		return finish_back(replay, handover, level, came, failure);
	if (!step_out_finish(replay, direction, level, failure))
		return false;
	*came = step_out_came(replay, direction);
	return true;
}

static json_t *finish(struct replay *replay, const struct finish_args *args,
    struct handover *handover, struct failure *failure)
{
	enum direction direction = direction_of(args->reverse);
	int level = replay_selected(replay)->frame;
	bool came;

	if (execution_is_over(replay, direction))
		return execution_answer(replay, direction, NULL, failure);
	if (args->function) {
		level = callers_find(replay, args->function, failure) - 1;
		if (level < 0)
			return NULL;
	}
	if (finish_once(replay, direction, level, handover, &came, failure))
		return execution_answer(replay, direction, came ? "finished" : NULL, failure);
	/* Code without a known function, such as a dynamic linker without symbols. */
	if (direction == FORWARD || !gdb_says(failure->message, SAYS_NO_BOUNDS))
		return NULL;
	*failure = (struct failure){0};
	return go_out(replay, direction, step_out_to_main, failure);
}

json_t *tool_finish(struct replay *replay, const struct finish_args *args, struct failure *failure)
{
	struct way_back back;
	json_t *stop;

	if (!execution_depart(replay, args->evaluate, failure))
		return NULL;
	back = begin(replay, args->reverse);
	stop = finish(replay, args, &back.handover, failure);
	return evaluate_beside(replay, end(replay, &back, stop, failure), args->evaluate);
}
