/*
 * The other half of goroutines.py, which finds the goroutines, and gives gdb the innermost frame of
 * one in place of a thread's callers. Its frames are then read as those of a thread are. Must
 * always take that away again: until then, the thread's stack is not its own.
 */
#include "worker/read/frames/goroutines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/library.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/serve/begins.h"
#include "worker/serve/sentence.h"
#include "worker/session/selection.h"

#define ANSWER	     "rr-goroutines "
#define OWN_FRAMES   "rr-own-frames "
#define LEFT_OUT     "goroutines that run on no thread were left out"
#define RUNTIMES     12	 /* frames of the runtime below the program's, and above */
#define ENTRY_BYTES  300 /* of a goroutine without its frames */
#define FRAMES_BYTES 3000
#define PLACE_MAX    (FRAME_PATH_MAX + 300)

/* What goroutines.py says of them; NULL: the program has none, or they cannot be read. */
static json_t *ask(struct replay *replay)
{
	struct gdb *gdb = replay_gdb(replay);
	const char *said;

	if (library_run(gdb, "goroutines") != GDB_DONE) /* gdb has no Python */
		return NULL;
	said = behind_mark(gdb_shown(gdb, LEFT_OUT, "python rr_goroutines()"), ANSWER);
	return said ? json_loads(said, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
}

static json_int_t number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static json_t *thread_of(const json_t *answer, json_int_t tid)
{
	json_t *thread;
	size_t i;

	json_array_foreach(json_object_get(answer, "threads"), i, thread)
	{
		if (number_of(thread, "tid") == tid)
			return thread;
	}
	return NULL;
}

/* By their threads; those of threads that the answer leaves out go into the list. */
static void tell_running(json_t *answer, const json_t *running, json_t *list)
{
	json_t *one;
	size_t i;

	json_array_foreach(running, i, one)
	{
		json_int_t tid = number_of(one, "tid");
		json_t *thread = thread_of(answer, tid);
		bool is_here = tid && number_of(answer, "tid") == tid;

		if (thread)
			json_object_set(thread, "goroutine", json_object_get(one, "id"));
		if (is_here)
			json_object_set(answer, "goroutine", json_object_get(one, "id"));
		if (!thread && !is_here)
			json_array_append(list, one);
	}
}

static bool is_of_runtime(const json_t *frame)
{
	static const char space[] = "runtime.";
	const char *name = mi_text(frame, "function");

	return name && strncmp(name, space, sizeof(space) - 1) == 0 &&
	       islower((unsigned char)name[sizeof(space) - 1]);
}

static bool is_outermost(const json_t *frame)
{
	const char *name = mi_text(frame, "function");

	return name && (strcmp(name, "runtime.goexit") == 0 || strcmp(name, "runtime.main") == 0);
}

/* As the runtime's own tracebacks do: how it parks a goroutine, and how it began it, is the same
 * for all. The levels would be taken for those of the selected thread. */
static void drop_runtime(json_t *frames)
{
	json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		if (i > 0 && is_outermost(frame))
			break;
		json_object_del(frame, "level");
	}
	while (json_array_size(frames) > i)
		json_array_remove(frames, json_array_size(frames) - 1);
	while (json_array_size(frames) > 1 && is_of_runtime(json_array_get(frames, 0)))
		json_array_remove(frames, 0);
}

/* Puts a parked goroutine behind the innermost frame of the selected thread. Returns the level of
 * its first frame; 0: gdb cannot show it. */
static int show(struct replay *replay, const json_t *one)
{
	const char *said = gdb_shown(replay_gdb(replay), LEFT_OUT,
	    "python rr_show_goroutine(%lld,%lld,%lld)", (long long)number_of(one, "pc"),
	    (long long)number_of(one, "sp"), (long long)number_of(one, "bp"));

	said = behind_mark(said, OWN_FRAMES);
	return said ? (int)strtol(said, NULL, 10) : 0;
}

/* One that has not begun has no frame yet: its function is where it will begin. */
static json_t *frames_of(struct replay *replay, const json_t *one, int depth, bool *cut)
{
	json_t *begins = json_object_get(one, "begins"), *frames = json_array();
	cleanup_failure struct failure ignored = {0};
	int own, next = -1;

	if (begins) {
		json_array_append(frames, begins);
		return frames;
	}
	own = show(replay, one);
	if (own && frames_collect(replay, replay_selected(replay)->number, own, depth + RUNTIMES,
		       FRAMES_BYTES, frames, &next, &ignored)) {
		drop_runtime(frames);
		frames_finish(replay, frames);
	}
	*cut = next >= 0 || json_array_size(frames) > (size_t)depth;
	while (json_array_size(frames) > (size_t)depth)
		json_array_remove(frames, json_array_size(frames) - 1);
	return frames;
}

static void tell_creator(json_t *entry, const json_t *by)
{
	const char *function = mi_text(by, "function"), *at = mi_text(by, "at");
	char place[PLACE_MAX];

	if (!function || !function[0])
		return;
	snprintf(place, sizeof(place), at ? "%s (%s)" : "%s%s", function, at ? at : "");
	json_object_set_new(entry, "created_by", json_string(place));
}

static json_t *tell_parked(struct replay *replay, const json_t *one, int depth)
{
	json_t *entry = json_object();
	bool cut = false;

	json_object_set(entry, "id", json_object_get(one, "id"));
	json_object_set(entry, "state", json_object_get(one, "state"));
	if (number_of(one, "equal")) {
		json_object_set(entry, "equal", json_object_get(one, "equal"));
		json_object_set(entry, "also", json_object_get(one, "also"));
	}
	answer_add_list(entry, "frames", frames_of(replay, one, depth, &cut));
	answer_add_flag(entry, "more_frames", cut);
	tell_creator(entry, json_object_get(one, "by"));
	return entry;
}

/* Returns how many goroutines found no room, or were not read because of an interrupt. */
static json_int_t tell_all_parked(
    struct replay *replay, const json_t *parked, int depth, size_t budget, json_t *list)
{
	json_int_t left = 0;
	json_t *one;
	size_t i;

	json_array_foreach(parked, i, one)
	{
		size_t size = 0;

		if (!left && worker_goes_on(replay_worker(replay))) {
			json_auto_t *entry = tell_parked(replay, one, depth);

			size = json_dumpb(entry, NULL, 0, JSON_COMPACT) + 1;
			if (size <= budget)
				json_array_append(list, entry);
		}
		if (!size || size > budget)
			left += 1 + number_of(one, "equal");
		else
			budget -= size;
	}
	return left;
}

/* gdb selects the innermost frame when it forgets the others. */
static void leave(struct replay *replay)
{
	struct gdb *gdb = replay_gdb(replay);

	gdb_shield(gdb, true);
	gdb_must_console(gdb, "python rr_leave_goroutine()");
	if (replay_selected(replay)->frame && !replay_worker(replay)->broken)
		selection_set_frame(replay, replay_selected(replay)->frame);
	gdb_shield(gdb, false);
}

void goroutines_add(struct replay *replay, json_t *answer, int depth, size_t budget)
{
	json_auto_t *known = ask(replay);
	json_t *list;
	json_int_t left;

	if (!known)
		return;
	list = json_array();
	left = number_of(known, "left");
	tell_running(answer, json_object_get(known, "running"), list);
	left += tell_all_parked(replay, json_object_get(known, "parked"), depth,
	    budget > ENTRY_BYTES ? budget - ENTRY_BYTES : 0, list);
	leave(replay);
	answer_add_list(answer, "goroutines", list);
	answer_add_count(answer, "more_goroutines", left);
}
