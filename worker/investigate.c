/*
 * Searches through a recording. They run the program back and forth: whatever happens on the way,
 * what the client had set and where it stood is put back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/arguments.h"
#include "worker/breakpoints.h"
#include "worker/fault.h"
#include "worker/frames.h"
#include "worker/investigate.h"
#include "worker/mi.h"
#include "worker/position.h"
#include "worker/state.h"
#include "worker/stop.h"
#include "worker/values.h"

#define FALSE_HITS_MAX	   10000
#define SIGNALS_MAX	   100000
#define REPORT_FRAMES	   20
#define REPORT_BYTES	   (14 * 1024)
#define FRAMES_WITH_LOCALS 4
#define LOCALS_BYTES	   2500
#define OUTPUT_BYTES	   4096
#define THREADS_SHOWN	   40

/* What ends a program unless it is caught. A search for something else runs past them. Not SIGTRAP:
 * to pass that by, rr would pass watchpoints by as well. */
#define FATAL_SIGNALS "SIGSEGV SIGABRT SIGBUS SIGFPE SIGILL SIGSYS"

void investigate_begin(struct replay *replay, struct origin *origin)
{
	*origin = (struct origin){replay->moment, replay->selected_tid, replay->frame,
	    replay->at_end, replay->at_signal, 0};
	if (!replay->at_end)
		origin->held = position_hold(replay);
	breakpoints_suspend(replay);
}

static bool go_back(struct replay *replay, const struct origin *origin, struct op_reply *reply)
{
	if (origin->at_end ? !position_go_event(replay, REPLAY_EVENT_FAR, reply)
	    : origin->held ? !position_return(replay, origin->held, reply)
			   : !position_go(replay, &origin->moment, reply))
		return false;
	replay->at_end = origin->at_end;
	replay->at_signal = origin->at_signal;
	if (origin->tid && origin->tid != replay->selected_tid)
		position_select_tid(replay, origin->tid);
	if (origin->frame &&
	    gdb_command(replay->gdb, NULL, "-stack-select-frame %d", origin->frame) == GDB_DONE)
		replay->frame = origin->frame;
	return true;
}

bool investigate_end(
    struct replay *replay, const struct origin *origin, bool stay, struct op_reply *reply)
{
	bool fine = true;

	if (replay->worker->broken)
		return false;
	if (!stay) {
		fine = go_back(replay, origin, reply);
		json_decref(output_take(replay->output, 1));
	}
	position_release(replay, origin->held);
	breakpoints_resume(replay);
	if (fine)
		state_send(replay);
	return fine;
}

/* True when the watched value was really changed here: not merely mapped, and not to the same. */
static bool is_change(const json_t *watch)
{
	const char *old = mi_text(watch, "old"), *new = mi_text(watch, "new");

	return old && new &&strcmp(old, new) != 0 && strcmp(old, "<unreadable>") != 0;
}

/* Back to the last change; the stop, or NULL with the reply failed. */
static json_t *search_back(struct replay *replay, const char *expression, struct op_reply *reply)
{
	for (int i = 0; i < FALSE_HITS_MAX; i++) {
		if (!gdb_check(replay->gdb, gdb_run(replay->gdb, "-exec-continue --reverse"),
			ERROR_GDB_FAILED, NULL, reply))
			return NULL;
		if (gdb_was_interrupted(replay->gdb)) {
			gdb_fail_interrupted(replay->worker, reply);
			return NULL;
		}
		json_t *stop = stop_describe(replay, BACKWARD, NULL, reply);
		if (!stop || is_change(json_object_get(stop, "watch")))
			return stop;
		const char *reason = mi_text(stop, "reason");
		bool start = reason && strcmp(reason, "start") == 0;
		json_decref(stop);
		if (start)
			break;
	}
	op_fail(reply, ERROR_NOT_FOUND,
	    "it has had this value from the start of the recording, or from before the memory was "
	    "mapped",
	    "nothing wrote %.200s before this moment", expression);
	return NULL;
}

static bool is_readable(struct replay *replay, const char *expression)
{
	char *value, *type, why[256];
	bool readable = values_read(replay, expression, &value, &type, why, sizeof(why)) == 0;

	free(value);
	free(type);
	return readable;
}

static json_t *change_answer(const json_t *stop, const char *expression)
{
	static const char *const kept[] = {"moment", "frame", "source", "thread"};
	const json_t *watch = json_object_get(stop, "watch");
	json_t *json = json_object();

	json_object_set_new(json, "expression", json_string(expression));
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (json_object_get(stop, kept[i]))
			json_object_set(json, kept[i], json_object_get(stop, kept[i]));
	json_object_set(json, "old", json_object_get(watch, "old"));
	json_object_set(json, "new", json_object_get(watch, "new"));
	return json;
}

void investigate_last_change(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	const char *expression = replay ? argument_required(args, "expression", reply) : NULL;
	bool move = argument_flag(args, "move", false);
	struct op_reply late = {0};
	struct origin origin;
	json_t *stop = NULL;
	bool readable;
	int watch;

	if (!expression || !values_is_harmless(expression, reply))
		return;
	readable = is_readable(replay, expression);
	investigate_begin(replay, &origin);
	watch = breakpoints_watch(replay, expression, "write", true, NULL, reply);
	if (watch) {
		gdb_console(replay->gdb, NULL, "handle " FATAL_SIGNALS " nostop noprint pass");
		stop = search_back(replay, expression, reply);
		if (!worker->broken) {
			gdb_console(replay->gdb, NULL, "handle " FATAL_SIGNALS " stop print pass");
			gdb_command(replay->gdb, NULL, "-break-delete %d", watch);
		}
	}
	if (stop)
		reply->result = change_answer(stop, expression);
	else if (!readable && reply->code == ERROR_NOT_FOUND)
		op_hint(reply,
		    "it cannot be read at this moment: a pointer in it is bad, so ask who "
		    "wrote that pointer last");
	json_decref(stop);
	if (watch && !investigate_end(replay, &origin, move && reply->result, &late) &&
	    reply->result) {
		json_decref(reply->result);
		*reply = late;
	} else if (!watch && !worker->broken) {
		position_release(replay, origin.held);
		breakpoints_resume(replay);
	}
}

static json_t *thread_tops(struct replay *replay)
{
	json_t *results = NULL, *tops = json_array(), *thread;
	size_t i;

	if (gdb_command(replay->gdb, &results, "-thread-info") == GDB_DONE) {
		json_array_foreach(json_object_get(results, "threads"), i, thread)
		{
			const char *name = mi_text(thread, "name");
			json_t *top;
			if (i == THREADS_SHOWN)
				break;
			top = json_pack("{s:i,s:o}", "id", mi_number(thread, "id", 0), "frame",
			    stop_frame(json_object_get(thread, "frame")));
			if (name)
				json_object_set_new(top, "name", json_string(name));
			json_array_append_new(tops, top);
		}
	}
	json_decref(results);
	return tops;
}

/* Everything there is to say at a fatal signal. */
static json_t *report_here(struct replay *replay, json_t *stop, struct op_reply *reply)
{
	json_t *report = json_object(), *frames = json_array(), *frame, *locals, *fault;
	size_t i, with_locals = 0;
	int next;

	json_object_set(report, "signal", json_object_get(stop, "signal"));
	json_object_set(report, "moment", json_object_get(stop, "moment"));
	json_object_set(report, "thread", json_object_get(stop, "thread"));
	json_object_set(report, "source", json_object_get(stop, "source"));
	if (!frames_collect(
		replay, replay->thread, 0, REPORT_FRAMES, REPORT_BYTES, frames, &next, reply)) {
		json_decref(frames);
		json_decref(report);
		return NULL;
	}
	json_array_foreach(frames, i, frame)
	{
		/* Frames without source (abort, raise) have nothing to show. */
		if (!json_object_get(frame, "line") || with_locals++ >= FRAMES_WITH_LOCALS)
			continue;
		locals = values_list(replay, replay->thread,
		    (int)json_integer_value(json_object_get(frame, "level")), false, LOCALS_BYTES,
		    NULL);
		if (locals)
			json_object_set_new(frame, "locals", locals);
	}
	json_object_set_new(report, "frames", frames);
	if (next >= 0)
		json_object_set_new(report, "more", json_pack("{s:i}", "start", next));
	fault = fault_json(replay);
	if (fault)
		json_object_set_new(report, "fault", fault);
	json_object_set_new(report, "threads", thread_tops(replay));
	return report;
}

static bool is_fatal(const json_t *stop)
{
	const char *name = mi_text(json_object_get(stop, "signal"), "name");
	const char *found = name ? strstr(FATAL_SIGNALS, name) : NULL;

	return found != NULL;
}

/* One pass from the start to the end; the report is that of the last fatal signal on the way. */
static json_t *find_crash(struct replay *replay, struct origin *crash, struct op_reply *reply)
{
	json_t *report = NULL, *stop, *output;

	if (!position_go_event(replay, 0, reply))
		return NULL;
	json_decref(output_take(replay->output, 1));
	for (int i = 0; i < SIGNALS_MAX; i++) {
		if (!gdb_check(replay->gdb, gdb_run(replay->gdb, "-exec-continue"),
			ERROR_GDB_FAILED, NULL, reply))
			break;
		if (gdb_was_interrupted(replay->gdb)) {
			gdb_fail_interrupted(replay->worker, reply);
			break;
		}
		output = output_peek(replay->output, OUTPUT_BYTES);
		stop = stop_describe(replay, FORWARD, NULL, reply);
		if (!stop) {
			json_decref(output);
			break;
		}
		if (is_fatal(stop)) {
			json_decref(report);
			position_release(replay, crash->held);
			*crash = (struct origin){.moment = replay->moment,
			    .tid = replay->selected_tid,
			    .at_signal = true,
			    .held = position_hold(replay)};
			report = report_here(replay, stop, reply);
		}
		if (report && output)
			json_object_set(report, "output", output);
		json_decref(output);
		json_decref(stop);
		if (replay->at_end || reply->message[0])
			break;
	}
	if (!reply->message[0] && !report)
		op_fail(reply, ERROR_NOT_FOUND, "rr_ps tells how each process ended",
		    "this process did not end by a fatal signal");
	if (!reply->message[0])
		return report;
	json_decref(report);
	return NULL;
}

static bool is_untouched(const struct replay *replay)
{
	return replay->moment.event == replay->opened.event &&
	       replay->moment.ticks == replay->opened.ticks;
}

void investigate_crash_report(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	struct op_reply late = {0};
	struct origin origin, crash = {0};
	bool move;

	if (!replay)
		return;
	/* Where nothing was done yet, there is no place to come back to. */
	move = argument_flag(args, "move", is_untouched(replay));
	investigate_begin(replay, &origin);
	reply->result = find_crash(replay, &crash, reply);
	if (reply->result && move) {
		position_release(replay, origin.held);
		origin = crash;
	} else if (!worker->broken) {
		position_release(replay, crash.held);
	}
	if (!investigate_end(replay, &origin, false, &late) && reply->result) {
		json_decref(reply->result);
		*reply = late;
	}
}
