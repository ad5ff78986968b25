/*
 * Moves the program: each operation is one or a few resumptions, then one stop that is described in
 * full. Counts hold in both directions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/arguments.h"
#include "worker/breakpoints.h"
#include "worker/checkpoints.h"
#include "worker/execution.h"
#include "worker/investigate.h"
#include "worker/mi.h"
#include "worker/names.h"
#include "worker/position.h"
#include "worker/state.h"

#define COUNT_MAX	 1000000
#define FINISH_PAGE	 1000 /* frames looked through at once */
#define FINISH_PAGES_MAX 1000
#define COMMAND_MAX	 96
#define EVENT_MAX	 (1LL << 53)

#define INSTRUCTIONS_AT_ONCE 200
#define LINES_AT_ONCE	     20

static void answer(
    struct replay *replay, enum direction direction, const char *reason, struct op_reply *reply)
{
	stop_answer(replay, direction, reason, reply);
	state_send(replay);
}

/* Where the recording ends there is no further forward: the end is the answer once more. */
static bool answered_end(struct replay *replay, enum direction direction, struct op_reply *reply)
{
	if (direction == BACKWARD || !replay->at_end)
		return false;
	answer(replay, direction, NULL, reply);
	return true;
}

/*
 * Runs, and backwards runs on where the stop is the signal that the program already stood at: rr
 * reports it once more when it is passed the other way. From the end that is news only to a
 * continue.
 */
static bool run(struct replay *replay, enum direction direction, bool stepping, const char *command,
    struct op_reply *reply)
{
	struct moment before = replay->moment;
	bool again = direction == BACKWARD && (replay->at_signal || (stepping && replay->at_end));

	if (!gdb_check(replay->gdb,
		stepping ? gdb_run_steps(replay->gdb, command)
			 : gdb_run(replay->gdb, "%s", command),
		ERROR_INVALID_ARGUMENT, NULL, reply)) {
		breakpoints_explain(replay, reply);
		return false;
	}
	if (!again || gdb_was_interrupted(replay->gdb) || !stop_is_signal(replay))
		return true;
	if (!position_update(replay, reply))
		return false;
	if (replay->moment.ticks != before.ticks || replay->moment.pc != before.pc ||
	    replay->moment.tid != before.tid)
		return true;
	return gdb_check(
	    replay->gdb, gdb_run(replay->gdb, "%s", command), ERROR_INVALID_ARGUMENT, NULL, reply);
}

static enum direction direction_of(json_t *args)
{
	return argument_flag(args, "reverse", false) ? BACKWARD : FORWARD;
}

/* Whether a continue that has ended here is to go on, to the next of `count` stops. */
static bool is_countable(const struct replay *replay)
{
	const char *reason = mi_text(gdb_last_stop(replay->gdb), "reason");

	return reason && !gdb_was_interrupted(replay->gdb) &&
	       (strcmp(reason, "breakpoint-hit") == 0 || strstr(reason, "watchpoint-trigger"));
}

static void continue_times(
    struct replay *replay, enum direction direction, long long count, struct op_reply *reply)
{
	const char *command = direction == BACKWARD ? "-exec-continue --reverse" : "-exec-continue";

	for (long long i = 0; i < count; i++) {
		if (!run(replay, direction, false, command, reply))
			return;
		if (!is_countable(replay))
			break;
		if (i + 1 < count)
			worker_progress(replay->worker, (double)(i + 1), (double)count, NULL);
	}
	answer(replay, direction, NULL, reply);
}

/* An internal breakpoint for this call only; 0 with the reply failed. */
static int set_until(struct replay *replay, const char *location, struct op_reply *reply)
{
	char quoted[GDB_QUOTED_MAX];
	json_t *results = NULL;
	int number = 0;

	if (!gdb_quote(quoted, "until", location, reply))
		return 0;
	if (gdb_check(replay->gdb, gdb_command(replay->gdb, &results, "-break-insert %s", quoted),
		ERROR_INVALID_ARGUMENT, NULL, reply)) {
		number = mi_number(json_object_get(results, "bkpt"), "number", 0);
	} else if (!replay->worker->broken) {
		names_suggest(replay, location, reply);
	}
	json_decref(results);
	return number;
}

void execution_continue(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	const char *until = argument_text(args, "until", NULL);
	enum direction direction = direction_of(args);
	long long count;
	int number = 0;

	if (!replay || answered_end(replay, direction, reply) ||
	    !argument_integer(args, "count", 1, 1, COUNT_MAX, &count, reply))
		return;
	if (until && *until) {
		number = set_until(replay, until, reply);
		if (!number)
			return;
	}
	continue_times(replay, direction, count, reply);
	if (number && !worker->broken)
		gdb_command(replay->gdb, NULL, "-break-delete %d", number);
}

/* Steps in portions: between two of them an interrupt finds its time. *whole is false when it did.
 */
static bool step_times(struct replay *replay, enum direction direction, const char *verb,
    bool instructions, long long count, bool *whole, struct op_reply *reply)
{
	long long portion = instructions ? INSTRUCTIONS_AT_ONCE : LINES_AT_ONCE, done = 0;
	char command[COMMAND_MAX];

	*whole = true;
	while (done < count) {
		const char *reason;
		long long now = count - done < portion ? count - done : portion;

		/* MI wants its own options before those of the command. */
		snprintf(command, sizeof(command), "-exec-%s%s --thread %d%s %lld", verb,
		    instructions ? "-instruction" : "", replay->thread,
		    direction == BACKWARD ? " --reverse" : "", now);
		if (done == 0 ? !run(replay, direction, true, command, reply)
			      : !gdb_check(replay->gdb, gdb_run_steps(replay->gdb, command),
				    ERROR_INVALID_ARGUMENT, NULL, reply))
			return false;
		done += now;
		reason = mi_text(gdb_last_stop(replay->gdb), "reason");
		if (!reason || strcmp(reason, "end-stepping-range") != 0)
			break;
		*whole = !replay->worker->interrupt || done == count;
		if (!*whole)
			break;
		if (done < count)
			worker_progress(replay->worker, (double)done, (double)count, NULL);
	}
	return true;
}

static void step(struct worker *worker, json_t *args, const char *verb, struct op_reply *reply)
{
	static const char *const units[] = {"line", "instruction", NULL};
	struct replay *replay = replay_of(worker, reply);
	enum direction direction = direction_of(args);
	long long count;
	bool whole;
	int unit;

	if (!replay || answered_end(replay, direction, reply) ||
	    !argument_integer(args, "count", 1, 1, COUNT_MAX, &count, reply))
		return;
	unit = argument_choice(args, "unit", units, 0, reply);
	if (unit < 0)
		return;
	if (step_times(replay, direction, verb, unit == 1, count, &whole, reply))
		answer(replay, direction, whole ? NULL : "interrupted", reply);
}

void execution_step(struct worker *worker, json_t *args, struct op_reply *reply)
{
	step(worker, args, "step", reply);
}

void execution_next(struct worker *worker, json_t *args, struct op_reply *reply)
{
	step(worker, args, "next", reply);
}

static int level_in(const json_t *stack, const char *function)
{
	const json_t *frame;
	size_t i;

	json_array_foreach(stack, i, frame)
	{
		const char *name = mi_text(frame, "func");
		if (name && strcmp(name, function) == 0)
			return mi_number(frame, "level", -1);
	}
	return -1;
}

/* The level of the nearest caller of the selected frame with that name; -1 with the reply failed.
 */
static int level_of(struct replay *replay, const char *function, struct op_reply *reply)
{
	int level = -1, from = replay->frame + 1;
	bool more = true;

	for (int page = 0; level < 0 && more && page < FINISH_PAGES_MAX; page++) {
		json_t *results = NULL;

		if (!gdb_check(replay->gdb,
			gdb_command(replay->gdb, &results, "-stack-list-frames --thread %d %d %d",
			    replay->thread, from, from + FINISH_PAGE - 1),
			ERROR_INVALID_ARGUMENT, "this is the outermost frame", reply))
			return -1;
		level = level_in(json_object_get(results, "stack"), function);
		more = json_array_size(json_object_get(results, "stack")) == FINISH_PAGE;
		from += FINISH_PAGE;
		json_decref(results);
	}
	if (level < 0)
		op_fail(reply, ERROR_NOT_FOUND, "rr_backtrace shows the callers",
		    "no caller named %.200s", function);
	return level;
}

void execution_finish(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	const char *function = argument_text(args, "function", NULL);
	enum direction direction = direction_of(args);
	char command[COMMAND_MAX];
	int frame;

	if (!replay || answered_end(replay, direction, reply))
		return;
	frame = replay->frame;
	if (function && *function) {
		frame = level_of(replay, function, reply) - 1;
		if (frame < 0)
			return;
	}
	snprintf(command, sizeof(command), "-exec-finish --thread %d --frame %d%s", replay->thread,
	    frame, direction == BACKWARD ? " --reverse" : "");
	if (run(replay, direction, true, command, reply))
		answer(replay, direction, direction == BACKWARD ? "finished" : NULL, reply);
}

/* Goes there, or stays: a moment that is not in the recording costs nothing. */
static void go(
    struct replay *replay, const struct moment *to, const char *reason, struct op_reply *reply)
{
	bool exactly = to->ticks || to->pc, fine;
	struct op_reply lost = {0};
	struct origin origin;

	if (position_is_beyond(replay, to->event, reply))
		return;
	investigate_begin(replay, &origin);
	fine =
	    exactly ? position_go(replay, to, reply) : position_go_event(replay, to->event, reply);
	if (fine && !exactly)
		fine = !position_is_beyond(replay, to->event, reply);
	if (!investigate_end(replay, &origin, fine, &lost) && lost.message[0])
		*reply = lost;
	else if (fine)
		answer(replay, FORWARD, reason, reply);
}

void execution_run_to_event(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	long long event;

	if (replay && argument_integer(args, "event_number", 0, 0, EVENT_MAX, &event, reply))
		go(replay, &(struct moment){.event = event}, NULL, reply);
}

/* "start", "end", EVENT or EVENT:TICKS. */
static bool parse_moment(const char *text, struct moment *moment, struct op_reply *reply)
{
	const char *wrong = NULL, *colon = strchr(text, ':');
	char event[24];

	*moment = (struct moment){0};
	if (strcmp(text, "start") == 0)
		return true;
	if (strcmp(text, "end") == 0) {
		moment->event = REPLAY_EVENT_FAR;
		return true;
	}
	snprintf(event, sizeof(event), "%.*s", (int)(colon ? colon - text : 20), text);
	moment->event = strtonum(event, 0, EVENT_MAX, &wrong);
	if (!wrong && colon)
		moment->ticks = strtonum(colon + 1, 0, EVENT_MAX, &wrong);
	if (!wrong)
		return true;
	op_fail(reply, ERROR_INVALID_ARGUMENT, NULL,
	    "moment must be start, end, an event number, or event:ticks, not %.60s", text);
	return false;
}

void execution_goto(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	const json_t *given = json_object_get(args, "moment");
	struct moment moment;
	const char *text;

	if (!replay)
		return;
	if (json_is_object(given)) {
		if (!position_from_json(given, &moment)) {
			op_fail(
			    reply, ERROR_INVALID_ARGUMENT, NULL, "moment needs event and ticks");
			return;
		}
	} else if (json_is_integer(given)) {
		moment = (struct moment){.event = json_integer_value(given)};
	} else {
		text = argument_required(args, "moment", reply);
		if (!text || !parse_moment(text, &moment, reply))
			return;
	}
	position_recall(replay, &moment);
	go(replay, &moment, moment.event ? "event" : "start", reply);
}

void position_when(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	struct moment moment;

	(void)args;
	if (!replay || !position_read(replay, &moment, reply))
		return;
	reply->result = position_json(&moment);
	json_object_set_new(reply->result, "thread", json_integer(replay->thread));
}
