/*
 * rr_thread_list, rr_thread_select, rr_select_frame and rr_backtrace: threads and stacks, and which
 * of them is selected.
 */
#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/serve/handlers.h"
#include "worker/moment/moment_parse.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/read/frames/goroutines.h"
#include "worker/read/values/values.h"
#include "worker/serve/arguments/arguments.h"
#include "worker/session/selection.h"

#define THREADS_SHOWN	 100
#define FULL_FRAMES_MAX	 20 /* with locals */
#define FULL_FRAME_BYTES 3000
#define RESULT_BUDGET	 (32 * 1024)
#define GOROUTINES_MIN	 (4 * 1024) /* bytes, whatever the threads take */

static json_t *thread_json(struct replay *replay, const json_t *thread)
{
	const char *name = mi_text(thread, "name");
	json_t *json = json_pack("{s:i}", "tid", mi_tid(thread));

	json_object_set_new(json, "name", json_string(name));
	if (json_object_get(thread, "frame"))
		json_object_set_new(
		    json, "frame", frame_listed(replay, json_object_get(thread, "frame")));
	return json;
}

json_t *tool_thread_list(
    struct replay *replay, const struct thread_list_args *args, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL, *threads, *thread, *result;
	size_t i;

	(void)args;
	if (!gdb_check(
		gdb, gdb_command(gdb, &results, "-thread-info"), ERROR_GDB_FAILED, NULL, failure))
		return NULL;
	threads = json_array();
	json_array_foreach(json_object_get(results, "threads"), i, thread)
	{
		if (i == THREADS_SHOWN)
			break;
		json_array_append_new(threads, thread_json(replay, thread));
	}
	result =
	    json_pack("{s:o,s:i}", "threads", threads, "selected", replay_selected(replay)->tid);
	if (json_array_size(json_object_get(results, "threads")) > THREADS_SHOWN)
		json_object_set_new(result, "more",
		    json_integer((json_int_t)json_array_size(json_object_get(results, "threads")) -
				 THREADS_SHOWN));
	json_decref(results);
	return result;
}

/* The selected frame with its source and thread. */
static json_t *describe_selection(struct replay *replay, struct failure *failure)
{
	json_auto_t *frames = NULL;
	json_t *frame, *json, *source;

	if (!frames_read(replay, replay_selected(replay)->number, replay_selected(replay)->frame, 1,
		&frames, failure))
		return NULL;
	frame = json_array_get(frames, 0);
	json = json_pack("{s:i}", "tid", replay_selected(replay)->tid);
	source = frame_source(replay, frame);
	if (frame)
		json_object_set(json, "frame", frame_finish(replay, frame));
	json_object_set_new(json, "source", source);
	replay_changed(replay);
	return json;
}

static void fail_without_thread(long long tid, struct failure *failure)
{
	failure_set(failure, ERROR_NOT_FOUND, "rr_thread_list shows the threads at this moment",
	    "there is no thread %lld at this moment", tid);
}

json_t *tool_thread_select(
    struct replay *replay, const struct thread_select_args *args, struct failure *failure)
{
	long long tid;

	if (!argument_thread("thread_id", args->thread_id, 0, &tid, failure))
		return NULL;
	if (!selection_set_thread(replay, (int)tid)) {
		fail_without_thread(tid, failure);
		return NULL;
	}
	return describe_selection(replay, failure);
}

json_t *tool_select_frame(
    struct replay *replay, const struct select_frame_args *args, struct failure *failure)
{
	if (!selection_choose_frame(replay, args->frame_level, failure))
		return NULL;
	return describe_selection(replay, failure);
}

static void add_locals(struct replay *replay, int thread, json_t *frames)
{
	json_t *frame, *locals;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		if (i == FULL_FRAMES_MAX)
			break;
		if (json_object_get(frame, "folded"))
			continue;
		locals = values_lines(replay, thread,
		    (int)json_integer_value(json_object_get(frame, "level")), FULL_FRAME_BYTES);
		json_object_set_new(frame, "locals", locals);
	}
}

static json_t *backtrace_all(struct replay *replay, int depth, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL, *threads, *thread, *frames, *entry, *answer;
	size_t i, count, budget, taken;
	int next;

	if (!gdb_check(
		gdb, gdb_command(gdb, &results, "-thread-info"), ERROR_GDB_FAILED, NULL, failure))
		return NULL;
	threads = json_array();
	count = json_array_size(json_object_get(results, "threads"));
	budget = RESULT_BUDGET / (count ? count : 1);
	json_array_foreach(json_object_get(results, "threads"), i, thread)
	{
		if (i == THREADS_SHOWN)
			break;
		struct failure ignored = {0};
		entry = thread_json(replay, thread);
		json_object_del(entry, "frame");
		frames = json_array();
		if (frames_collect(replay, mi_number(thread, "id", 0), 0, depth, budget - 150,
			frames, &next, &ignored) &&
		    next >= 0)
			json_object_set_new(entry, "more", json_integer(next));
		frames_finish(replay, frames);
		json_object_set_new(entry, "frames", frames);
		json_array_append_new(threads, entry);
	}
	json_decref(results);
	answer = json_pack("{s:o}", "threads", threads);
	taken = json_dumpb(answer, NULL, 0, JSON_COMPACT);
	goroutines_add(replay, answer, depth,
	    taken + GOROUTINES_MIN < RESULT_BUDGET ? RESULT_BUDGET - taken : GOROUTINES_MIN);
	return answer;
}

static json_t *backtrace(struct replay *replay, const void *asked, struct failure *failure)
{
	const struct selection *selected = replay_selected(replay);
	const struct backtrace_args *args = asked;
	json_t *frames, *result;
	int next, thread;
	long long tid;

	if (args->thread && strcmp(args->thread, "all") == 0)
		return backtrace_all(replay, (int)args->max_depth, failure);
	if (!argument_thread("thread", args->thread, selected->tid, &tid, failure))
		return NULL;
	thread = args->thread ? selection_number(replay, (int)tid) : selected->number;
	if (!thread) {
		fail_without_thread(tid, failure);
		return NULL;
	}
	frames = json_array();
	if (!frames_collect(replay, thread, (int)args->start, (int)args->max_depth,
		args->full ? RESULT_BUDGET / 3 : RESULT_BUDGET, frames, &next, failure)) {
		json_decref(frames);
		return NULL;
	}
	if (args->full)
		add_locals(replay, thread, frames);
	frames_finish(replay, frames);
	result = json_pack("{s:o,s:I}", "frames", frames, "tid", (json_int_t)tid);
	if (next >= 0)
		json_object_set_new(result, "more", json_integer(next));
	return result;
}

json_t *tool_backtrace(
    struct replay *replay, const struct backtrace_args *args, struct failure *failure)
{
	return moment_ask(replay, args->at, backtrace, args, failure);
}
