/*
 * Turns a stack into one place in the code. Reads the stack only if the innermost frame is not
 * enough.
 */
#include "worker/investigate/code/where.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/code/wrapper.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/read/names/symbol.h"
#include "worker/serve/begins.h"

#define MORE_CALLERS 60 /* for the rest that is counted */

#define FRAMES_MAX   16
#define CALLERS_MAX  6
#define FRAMES_BYTES 6000

static void copy(json_t *to, const char *as, const json_t *from, const char *name)
{
	json_object_set(to, as, json_object_get(from, name));
}

static json_t *place(struct replay *replay, json_t *own, json_t *inner)
{
	json_t *where = json_object();

	frame_finish(replay, own);
	copy(where, "function", own, "function");
	copy(where, "at", own, "at");
	if (inner == own)
		return where;
	frame_finish(replay, inner);
	copy(where, "in", inner, json_object_get(inner, "function") ? "function" : "at");
	return where;
}

static json_t *caller_words(struct replay *replay, json_t *frame)
{
	json_auto_t *where = place(replay, frame, frame);

	return where_words(where);
}

json_t *where_callers(
    struct replay *replay, const json_t *frames, const json_t *own, size_t *passed)
{
	size_t count = json_array_size(frames), at = 0;
	json_t *callers;

	while (at < count && json_array_get(frames, at) != own)
		at++;
	*passed = at && at < count ? wrapper_count(replay, frames, at) : 0;
	if (!*passed)
		return NULL;
	callers = json_array();
	for (size_t i = at + 1; i < count && json_array_size(callers) < CALLERS_MAX; i++)
		json_array_append_new(callers, caller_words(replay, json_array_get(frames, i)));
	return callers;
}

json_t *where_of(struct replay *replay, json_t *frames)
{
	json_t *own = frames_first_own(replay, frames), *where;
	size_t passed;
	/* First, because a place takes the addresses from its frames. */
	json_t *callers = where_callers(replay, frames, own, &passed);

	where = place(replay, own, json_array_get(frames, 0));
	if (callers) {
		json_object_set_new(where, "callers", callers);
		json_object_set_new(where, "wrappers", json_integer((json_int_t)passed));
	}
	return where;
}

json_t *where_from(struct replay *replay, int level)
{
	json_auto_t *frames = frames_places(replay, level, FRAMES_MAX, FRAMES_BYTES);

	return json_array_size(frames) ? where_of(replay, frames) : NULL;
}

json_t *where_own(struct replay *replay)
{
	json_auto_t *frame =
	    frame_json(json_object_get(gdb_last_stop(replay_gdb(replay)), "frame"));
	json_t *where =
	    frame_is_own(replay, frame) ? place(replay, frame, frame) : where_from(replay, 0);

	return where ? where : json_object();
}

json_t *where_own_words(struct replay *replay)
{
	json_auto_t *where = where_own(replay);

	return where_words(where);
}

json_t *where_own_from(struct replay *replay, size_t levels)
{
	json_t *where = levels ? where_from(replay, (int)levels) : NULL;

	return where ? where : where_own(replay);
}

void where_forget(struct where_code *code)
{
	for (size_t i = 0; i < code->count; i++)
		json_decref(code->known[i].where);
	code->count = 0;
}

/* Whether gdb's `Line 26 of "src/a.c" starts at ...` speaks of that file. */
static bool is_of_file(const char *said, const char *path)
{
	const char *open = strchr(said, '"'), *close = open ? strchr(open + 1, '"') : NULL;
	char file[FRAME_PATH_MAX];

	if (!close)
		return false;
	snprintf(file, sizeof(file), "%.*s", (int)(close - open - 1), open + 1);
	return strcmp(basename(file), basename(path)) == 0;
}

/* Sets the line of the instruction that ends at pc, or leaves that at pc if gdb does not know it.
 * If a function begins at pc, that instruction did not run last. */
static void step_back(struct replay *replay, json_t *frame, unsigned long long pc)
{
	char path[FRAME_PATH_MAX], name[128];
	unsigned long long entry;
	const char *said;
	int line;

	if (!where_entry(replay, pc, &entry, name, sizeof(name)) || entry == pc ||
	    !frame_place(frame, path, &line) ||
	    !(said = gdb_shown(replay_gdb(replay), NULL, "info line *0x%llx", pc - 1)) ||
	    !begins(said, "Line ") || !is_of_file(said, path))
		return;
	json_object_set_new(
	    frame, "at", json_sprintf("%s:%d", path, (int)strtol(said + 5, NULL, 10)));
}

json_t *where_known(const struct where_code *code, unsigned long long pc)
{
	for (size_t i = 0; i < code->count; i++)
		if (code->known[i].pc == pc)
			return code->known[i].where;
	return NULL;
}

json_t *where_behind(struct replay *replay, struct where_code *code)
{
	unsigned long long pc = replay_now(replay)->pc;
	json_t *frame, *where = where_known(code, pc);

	if (where)
		return json_incref(where);
	frame = frame_json(json_object_get(gdb_last_stop(replay_gdb(replay)), "frame"));
	if (frame_is_own(replay, frame)) {
		step_back(replay, frame, pc);
		where = place(replay, frame, frame);
		if (code->count < WHERE_CODE_MAX) {
			code->known[code->count].pc = pc;
			code->known[code->count++].where = json_incref(where);
		}
	} else {
		where = where_from(replay, 0);
	}
	json_decref(frame);
	return where ? where : json_object();
}

bool where_entry(struct replay *replay, unsigned long long pc, unsigned long long *entry,
    char *name, size_t size)
{
	struct symbol symbol;

	if (!symbol_at(replay, pc, &symbol))
		return false;
	*entry = pc - symbol.offset;
	snprintf(name, size, "%.*s", (int)strcspn(symbol.name, " ("), symbol.name);
	return true;
}

void where_join(const json_t *callers, size_t count, char words[WHERE_CALLERS_MAX])
{
	size_t length = 0, total = json_array_size(callers);

	words[0] = '\0';
	total = count < total ? count : total;
	for (size_t i = 0; i < total; i++) {
		const char *caller = json_string_value(json_array_get(callers, i));

		/* Whole ones, or none. */
		if (length + strlen(caller) + MORE_CALLERS > WHERE_CALLERS_MAX) {
			snprintf(words + length, WHERE_CALLERS_MAX - length, ", and %zu more",
			    total - i);
			break;
		}
		length += (size_t)snprintf(
		    words + length, WHERE_CALLERS_MAX - length, ", called by %s", caller);
	}
}

json_t *where_chain(json_t *places)
{
	json_auto_t *first = json_incref(json_array_get(places, 0));
	char by[WHERE_CALLERS_MAX];

	json_array_remove(places, 0);
	where_join(places, json_array_size(places), by);
	return json_sprintf("%s%s", json_string_value(first), by);
}

json_t *where_words(const json_t *where)
{
	const char *function = mi_text(where, "function"), *at = mi_text(where, "at");
	const char *in = mi_text(where, "in");
	char callers[WHERE_CALLERS_MAX];

	where_join(json_object_get(where, "callers"),
	    (size_t)json_integer_value(json_object_get(where, "wrappers")), callers);
	return json_sprintf("%s%s%s (%s)%s", in ? in : "", in ? ", called by " : "",
	    function ? function : "code without a name", at ? at : "no source", callers);
}

/* At most so many frames of the program's own code behind the innermost `levels` ones, but the
 * first `skipped` of them. */
static json_t *own_frames(struct replay *replay, size_t levels, size_t skipped, size_t most)
{
	json_t *frames = frames_places(replay, 0, FRAMES_MAX, FRAMES_BYTES), *list = json_array(),
	       *frame;
	frame_test *is_meant = frames_own_test(replay, frames);
	size_t i, own = 0;

	json_array_foreach(frames, i, frame)
	{
		if (i < levels || json_object_get(frame, "folded") || !is_meant(replay, frame) ||
		    own++ < skipped || json_array_size(list) == most)
			continue;
		if (is_meant == frame_is_unnamed)
			frame_finish(replay, frame);
		json_array_append_new(list, where_words(frame));
	}
	json_decref(frames);
	return list;
}

json_t *where_outer_callers_from(struct replay *replay, size_t levels, size_t most)
{
	return own_frames(replay, levels, 1, most);
}

json_t *where_outer_callers(struct replay *replay, size_t most)
{
	return where_outer_callers_from(replay, 0, most);
}

json_t *where_and_callers_from(struct replay *replay, size_t levels, size_t most)
{
	json_auto_t *list = own_frames(replay, levels, 0, most + 1), *where = NULL;

	if (json_array_size(list))
		return where_chain(list);
	where = where_own_from(replay, levels);
	return where_words(where);
}

json_t *where_and_callers(struct replay *replay, size_t most)
{
	return where_and_callers_from(replay, 0, most);
}
