/*
 * Threads, frames and stacks. A stack may be a hundred thousand frames deep: it is read in pieces,
 * repeated frames are folded with their count, and what is left is reachable by its level.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/arguments.h"
#include "worker/frames.h"
#include "worker/mi.h"
#include "worker/position.h"
#include "worker/source.h"
#include "worker/state.h"
#include "worker/stop.h"
#include "worker/values.h"

#define CHUNK		 200  /* frames asked of gdb at once */
#define SCAN_MAX	 2000 /* frames looked at for one answer: each is unwound through rr */
#define PERIOD_MAX	 4
#define DEPTH_DEFAULT	 30
#define DEPTH_MAX	 10000
#define RESULT_BUDGET	 (32 * 1024)
#define THREADS_SHOWN	 100
#define FULL_FRAMES_MAX	 20 /* with locals */
#define FULL_FRAME_BYTES 3000

static bool same_frame(const json_t *a, const json_t *b)
{
	static const char *const keys[] = {"function", "file", "line", "library"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const json_t *x = json_object_get(a, keys[i]), *y = json_object_get(b, keys[i]);
		if (x != y && !json_equal(x, y))
			return false;
	}
	return true;
}

static size_t repetitions(const json_t *frames, size_t at, size_t period)
{
	size_t count = json_array_size(frames), next = at + period;

	while (next < count &&
	       same_frame(json_array_get(frames, next), json_array_get(frames, next - period)))
		next++;
	return (next - at) / period - 1;
}

size_t frames_repeated(const json_t *frames, size_t at, size_t *period)
{
	for (*period = 1; *period <= PERIOD_MAX; (*period)++) {
		if (at + *period > json_array_size(frames))
			break;
		size_t found = repetitions(frames, at, *period);
		if (found >= 2)
			return found;
	}
	return 0;
}

static bool list_frames(
    struct replay *replay, int thread, int from, int to, json_t **stack, struct op_reply *reply)
{
	json_t *results = NULL;
	enum gdb_outcome outcome = gdb_command(
	    replay->gdb, &results, "-stack-list-frames --thread %d %d %d", thread, from, to);

	*stack = NULL;
	if (outcome == GDB_REFUSED && from > 0 && !gdb_was_interrupted(replay->gdb)) {
		*stack = json_array(); /* beyond the outermost frame */
		return true;
	}
	if (!gdb_check(replay->gdb, outcome, ERROR_GDB_FAILED, NULL, reply))
		return false;
	*stack = json_incref(json_object_get(results, "stack"));
	json_decref(results);
	return *stack != NULL;
}

static void add_arguments(struct replay *replay, int thread, int from, int to, json_t *frames)
{
	json_t *results = NULL, *entry, *row, *list;
	size_t i;

	if (gdb_command(replay->gdb, &results,
		"-stack-list-arguments --thread %d --simple-values %d %d", thread, from,
		to) != GDB_DONE)
		return;
	list = json_object_get(results, "stack-args");
	json_array_foreach(list, i, row)
	{
		json_t *with = stop_frame(row);
		entry = json_array_get(frames, i);
		if (entry)
			json_object_set(entry, "arguments", json_object_get(with, "arguments"));
		json_decref(with);
	}
	json_decref(results);
}

/* Reads frames from..from+count-1 as they are to be shown. */
static bool read_chunk(
    struct replay *replay, int thread, int from, int count, json_t **frames, struct op_reply *reply)
{
	json_t *stack, *frame;
	size_t i;

	*frames = json_array();
	if (!list_frames(replay, thread, from, from + count - 1, &stack, reply))
		return false;
	json_array_foreach(stack, i, frame) json_array_append_new(*frames, stop_frame(frame));
	if (json_array_size(stack))
		add_arguments(
		    replay, thread, from, from + (int)json_array_size(stack) - 1, *frames);
	json_decref(stack);
	return true;
}

static json_t *fold_note(const json_t *chunk, size_t at, size_t period, size_t times)
{
	json_t *functions = json_array(), *frame;
	json_int_t level = json_integer_value(json_object_get(json_array_get(chunk, at), "level"));

	for (size_t i = 0; i < period; i++) {
		frame = json_array_get(chunk, at + i);
		json_array_append(functions, json_object_get(frame, "function"));
	}
	return json_pack("{s:I,s:o,s:I,s:I}", "folded", (json_int_t)(times * period), "functions",
	    functions, "from_level", level + (json_int_t)period, "to_level",
	    level + (json_int_t)(period + times * period) - 1);
}

struct page {
	json_t *frames;
	size_t room, depth;
};

static bool page_add(struct page *page, json_t *entry)
{
	size_t size = json_dumpb(entry, NULL, 0, JSON_COMPACT) + 1;

	if (size > page->room || json_array_size(page->frames) >= page->depth)
		return false;
	page->room -= size;
	json_array_append(page->frames, entry);
	return true;
}

/* A fold that the chunk before began is lengthened instead of begun anew. */
static bool continues_fold(struct page *page, const json_t *frame)
{
	size_t count = json_array_size(page->frames);
	json_t *last = count ? json_array_get(page->frames, count - 1) : NULL;
	json_t *functions = json_object_get(last, "functions");
	json_t *before = count > 1 ? json_array_get(page->frames, count - 2) : NULL;

	if (json_array_size(functions) != 1 || !same_frame(before, frame))
		return false;
	json_object_set_new(
	    last, "folded", json_integer(json_integer_value(json_object_get(last, "folded")) + 1));
	json_object_set(last, "to_level", json_object_get(frame, "level"));
	return true;
}

/* Moves a chunk's frames to the page, folded; returns how many of the chunk were taken. */
static size_t take_chunk(struct page *page, const json_t *chunk)
{
	size_t at = 0, count = json_array_size(chunk), period, times;

	while (at < count) {
		if (continues_fold(page, json_array_get(chunk, at))) {
			at++;
			continue;
		}
		times = frames_repeated(chunk, at, &period);
		for (size_t i = 0; i < (times ? period : 1); i++)
			if (!page_add(page, json_array_get(chunk, at + i)))
				return at + i;
		at += times ? period : 1;
		if (!times)
			continue;
		json_t *note = fold_note(chunk, at - period, period, times);
		bool added = page_add(page, note);
		json_decref(note);
		if (!added)
			return at;
		at += times * period;
	}
	return at;
}

bool frames_collect(struct replay *replay, int thread, int start, int depth, size_t budget,
    json_t *frames, int *next, struct op_reply *reply)
{
	struct page page = {.frames = frames, .room = budget, .depth = (size_t)depth};
	int level = start, ask = depth < CHUNK ? depth + 1 : CHUNK;
	json_t *chunk = NULL;

	*next = -1;
	while (level - start < SCAN_MAX) {
		if (!read_chunk(replay, thread, level, ask, &chunk, reply)) {
			json_decref(chunk);
			return false;
		}
		size_t count = json_array_size(chunk), taken = take_chunk(&page, chunk);
		json_decref(chunk);
		level += (int)taken;
		if (taken < count) {
			*next = level;
			return true;
		}
		if (count < (size_t)ask)
			return true;
		ask = CHUNK;
	}
	*next = level;
	return true;
}

static json_t *thread_json(const json_t *thread, const char *current)
{
	const char *id = mi_text(thread, "id"), *name = mi_text(thread, "name");
	json_t *json = json_pack("{s:i,s:i,s:b}", "id", mi_number(thread, "id", 0), "tid",
	    mi_tid(thread), "selected", id && current && strcmp(id, current) == 0);

	if (name)
		json_object_set_new(json, "name", json_string(name));
	if (json_object_get(thread, "frame"))
		json_object_set_new(json, "frame", stop_frame(json_object_get(thread, "frame")));
	return json;
}

void frames_thread_list(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	json_t *results = NULL, *threads, *thread;
	char current[16];
	size_t i;

	(void)args;
	if (!replay || !gdb_check(replay->gdb, gdb_command(replay->gdb, &results, "-thread-info"),
			   ERROR_GDB_FAILED, NULL, reply))
		return;
	snprintf(current, sizeof(current), "%d", replay->thread);
	threads = json_array();
	json_array_foreach(json_object_get(results, "threads"), i, thread)
	{
		if (i == THREADS_SHOWN)
			break;
		json_array_append_new(threads, thread_json(thread, current));
	}
	reply->result = json_pack("{s:o,s:i}", "threads", threads, "selected", replay->thread);
	if (json_array_size(json_object_get(results, "threads")) > THREADS_SHOWN)
		json_object_set_new(reply->result, "more",
		    json_integer((json_int_t)json_array_size(json_object_get(results, "threads")) -
				 THREADS_SHOWN));
	json_decref(results);
}

/* Frame, source and thread of what is selected now. */
static void answer_selection(struct replay *replay, struct op_reply *reply)
{
	json_t *results = NULL, *frame, *json;
	int at;

	if (!gdb_check(replay->gdb,
		gdb_command(replay->gdb, &results, "-stack-info-frame --thread %d --frame %d",
		    replay->thread, replay->frame),
		ERROR_GDB_FAILED, NULL, reply))
		return;
	frame = json_object_get(results, "frame");
	at = mi_number(frame, "line", 0);
	json = json_pack("{s:i,s:o}", "thread", replay->thread, "frame", stop_frame(frame));
	json_object_set_new(json, "source",
	    source_read(at ? mi_text(frame, "fullname") : NULL, at - 2, at + 2, at));
	reply->result = json;
	json_decref(results);
	state_send(replay);
}

void frames_thread_select(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	long long thread;

	if (!replay || !argument_integer(args, "thread_id", 0, 1, 1000000, &thread, reply) ||
	    !gdb_check(replay->gdb, gdb_command(replay->gdb, NULL, "-thread-select %lld", thread),
		ERROR_NOT_FOUND, "rr_thread_list shows the threads there are now", reply))
		return;
	replay->thread = (int)thread;
	replay->frame = 0;
	replay->selected_tid = position_tid(replay, replay->thread);
	answer_selection(replay, reply);
}

void frames_select(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	long long level;

	if (!replay || !argument_integer(args, "frame_level", 0, 0, 10000000, &level, reply))
		return;
	/* -stack-select-frame takes any number and then stands at the outermost frame. */
	if (gdb_command(replay->gdb, NULL, "-stack-info-frame --thread %d --frame %lld",
		replay->thread, level) == GDB_REFUSED) {
		op_fail(reply, ERROR_NOT_FOUND, "rr_backtrace shows the frames there are",
		    "there is no frame %lld", level);
		return;
	}
	if (!gdb_check(replay->gdb,
		gdb_command(replay->gdb, NULL, "-stack-select-frame %lld", level), ERROR_NOT_FOUND,
		"rr_backtrace shows the frames there are", reply))
		return;
	replay->frame = (int)level;
	answer_selection(replay, reply);
}

static void add_locals(struct replay *replay, int thread, json_t *frames)
{
	json_t *frame, *locals;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		if (i == FULL_FRAMES_MAX)
			break;
		if (!json_object_get(frame, "level"))
			continue;
		locals = values_list(replay, thread,
		    (int)json_integer_value(json_object_get(frame, "level")), false,
		    FULL_FRAME_BYTES, NULL);
		if (locals)
			json_object_set_new(frame, "locals", locals);
	}
}

static void backtrace_all(struct replay *replay, int depth, struct op_reply *reply)
{
	json_t *results = NULL, *threads, *thread, *frames, *entry;
	size_t i, count, budget;
	int next;

	if (!gdb_check(replay->gdb, gdb_command(replay->gdb, &results, "-thread-info"),
		ERROR_GDB_FAILED, NULL, reply))
		return;
	threads = json_array();
	count = json_array_size(json_object_get(results, "threads"));
	budget = RESULT_BUDGET / (count ? count : 1);
	json_array_foreach(json_object_get(results, "threads"), i, thread)
	{
		if (i == THREADS_SHOWN)
			break;
		struct op_reply ignored = {0};
		entry = thread_json(thread, NULL);
		json_object_del(entry, "selected");
		json_object_del(entry, "frame");
		frames = json_array();
		if (frames_collect(replay, mi_number(thread, "id", 0), 0, depth, budget - 150,
			frames, &next, &ignored) &&
		    next >= 0)
			json_object_set_new(entry, "more", json_pack("{s:i}", "start", next));
		json_object_set_new(entry, "frames", frames);
		json_array_append_new(threads, entry);
	}
	reply->result = json_pack("{s:[],s:o}", "frames", "threads", threads);
	json_decref(results);
}

void frames_backtrace(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	bool full = argument_flag(args, "full", false);
	long long depth, start, thread;
	json_t *frames;
	int next;

	if (!replay ||
	    !argument_integer(args, "max_depth", DEPTH_DEFAULT, 1, DEPTH_MAX, &depth, reply) ||
	    !argument_integer(args, "start", 0, 0, 10000000, &start, reply))
		return;
	if (strcmp(argument_text(args, "thread", ""), "all") == 0) {
		backtrace_all(replay, (int)depth, reply);
		return;
	}
	if (!argument_text(args, "thread", "x")[0])
		json_object_del(args, "thread");
	if (!argument_integer(args, "thread", replay->thread, 1, 1000000, &thread, reply))
		return;
	frames = json_array();
	if (!frames_collect(replay, (int)thread, (int)start, (int)depth,
		full ? RESULT_BUDGET / 3 : RESULT_BUDGET, frames, &next, reply)) {
		json_decref(frames);
		return;
	}
	if (full)
		add_locals(replay, (int)thread, frames);
	reply->result = json_pack("{s:o,s:I}", "frames", frames, "thread", (json_int_t)thread);
	if (next >= 0)
		json_object_set_new(reply->result, "more", json_pack("{s:i}", "start", next));
}
