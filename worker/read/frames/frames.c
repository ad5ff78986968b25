/*
 * Threads, frames and stacks. A stack may be a hundred thousand frames deep, so we read it in
 * pieces, fold repeated frames with their count, and page the rest by level.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/serve/handlers.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/read/frames/function_file.h"
#include "worker/read/code/mappings.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/gdb/mi/says.h"
#include "worker/read/values/values.h"
#include "worker/session/core.h"
#include "worker/session/selection.h"
#include "worker/serve/begins.h"

#define CHUNK	       200  /* frames asked of gdb at once */
#define SCAN_MAX       2000 /* frames looked at for one answer: each is unwound through rr */
#define PERIOD_MAX     4
#define FOLD_NAMES_MAX 1000
#define FOLD_MORE      60 /* for the rest that is counted */
#define OWN_DEPTH      40
#define LEVELS_MAX     64
#define OWN_BYTES      10000

static bool same_frame(const json_t *a, const json_t *b)
{
	static const char *const keys[] = {"function", "at", "library"};

	/* If the name is unknown, the address identifies the function. */
	if (!mi_text(a, "function") &&
	    !json_equal(json_object_get(a, "address"), json_object_get(b, "address")))
		return false;
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

bool frames_list(
    struct replay *replay, int thread, int from, int to, json_t **stack, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	json_auto_t *results = NULL;
	enum gdb_outcome outcome =
	    gdb_command(gdb, &results, "-stack-list-frames --thread %d %d %d", thread, from, to);

	*stack = NULL;
	if (outcome == GDB_REFUSED && from > 0 && !gdb_was_interrupted(gdb)) {
		if (!gdb_says(gdb_message(gdb), SAYS_NO_FRAME))
			gdb_done_or_warn(gdb, outcome, "the frames further out were not read");
		*stack = json_array();
		return true;
	}
	if (!gdb_check(gdb, outcome, ERROR_GDB_FAILED, NULL, failure))
		return false;
	*stack = json_incref(json_object_get(results, "stack"));
	return *stack != NULL;
}

static void add_arguments(struct replay *replay, int thread, int from, int to, json_t *frames)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL, *entry, *row, *list;
	size_t i;

	if (!gdb_done_or_warn(gdb,
		gdb_command(gdb, &results,
		    "-stack-list-arguments --thread %d --simple-values %d %d", thread, from, to),
		"the arguments of frames were not read"))
		return;
	list = json_object_get(results, "stack-args");
	json_array_foreach(list, i, row)
	{
		values_complete(replay, thread, from + (int)i, row);
		json_auto_t *with = frame_args(row);
		entry = json_array_get(frames, i);
		if (entry && with)
			json_object_set(entry, "args", with);
	}
	json_decref(results);
}

/* Whether code is of no file that gdb knows. A file without symbols has unwind information. */
static bool is_unknown(
    const struct replay *replay, const struct mappings *mappings, const json_t *frame)
{
	const char *address = mi_text(frame, "addr"), *function = mi_text(frame, "func");
	const struct mapping *mapping;

	if (!address || mi_text(frame, "from") || (function && strcmp(function, "??") != 0))
		return false;
	mapping = mappings_find(mappings, strtoull(address, NULL, 16));
	if (!mapping || mapping->file[0] != '/')
		return true;
	/* The program of a core file is called as it was mapped, wherever it lies here. */
	return replay_executable(replay) && strcmp(mapping->file, replay_executable(replay)) != 0 &&
	       (!replay_core(replay) || strcmp(mapping->file, replay_command(replay)) != 0);
}

/* Behind such a frame gdb takes words of the stack for return addresses. */
static void add_doubt(struct replay *replay, const json_t *stack, json_t *frames)
{
	cleanup_mappings struct mappings *mappings = NULL;

	for (size_t i = 0; i + 1 < json_array_size(stack); i++) {
		const json_t *frame = json_array_get(stack, i);
		const char *function = mi_text(frame, "func");

		if ((function && strcmp(function, "??") != 0) || mi_text(frame, "from"))
			continue;
		mappings = mappings ? mappings : mappings_of_code(replay);
		if (!mappings)
			return;
		if (!is_unknown(replay, mappings, frame))
			continue;
		json_object_set_new(json_array_get(frames, i), "unwinding",
		    json_string("gdb has no unwind information for this code: the frames with "
				"higher levels may be invented, from words of the stack"));
		break;
	}
}

/* Reads frames from..from+count-1 as agents see them, with arguments or without. */
static bool read_frames(struct replay *replay, int thread, int from, int count, bool arguments,
    json_t **frames, struct failure *failure)
{
	json_t *stack, *frame;
	size_t i;

	*frames = json_array();
	if (!frames_list(replay, thread, from, from + count - 1, &stack, failure))
		return false;
	json_array_foreach(stack, i, frame) json_array_append_new(*frames, frame_json(frame));
	add_doubt(replay, stack, *frames);
	function_file_add(replay, thread, *frames);
	if (arguments && json_array_size(stack))
		add_arguments(
		    replay, thread, from, from + (int)json_array_size(stack) - 1, *frames);
	json_decref(stack);
	return true;
}

bool frames_read(struct replay *replay, int thread, int from, int count, json_t **frames,
    struct failure *failure)
{
	return read_frames(replay, thread, from, count, true, frames, failure);
}

static json_t *fold_note(const json_t *chunk, size_t at, size_t period, size_t times)
{
	char names[FOLD_NAMES_MAX] = "";
	size_t length = 0;

	for (size_t i = 0; i < period; i++) {
		const char *name = mi_text(json_array_get(chunk, at + i), "function");

		name = name ? name : "??";
		if (length + strlen(name) + FOLD_MORE > sizeof(names)) {
			snprintf(
			    names + length, sizeof(names) - length, ", and %zu more", period - i);
			break;
		}
		length += (size_t)snprintf(
		    names + length, sizeof(names) - length, "%s%s", i ? ", " : "", name);
	}
	return json_pack("{s:I,s:o,s:I}", "folded", (json_int_t)(times * period), "what",
	    json_sprintf("%s again and again", names), "period", (json_int_t)period);
}

struct page {
	json_t *frames;
	size_t room, depth;
	bool arguments; /* each frame has its own */
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

/* Extends a fold that the previous chunk began, instead of starting a new one. */
static bool continues_fold(struct page *page, const json_t *frame)
{
	size_t count = json_array_size(page->frames);
	json_t *last = count ? json_array_get(page->frames, count - 1) : NULL;
	json_t *before = count > 1 ? json_array_get(page->frames, count - 2) : NULL;

	if (json_integer_value(json_object_get(last, "period")) != 1 || !same_frame(before, frame))
		return false;
	json_object_set_new(
	    last, "folded", json_integer(json_integer_value(json_object_get(last, "folded")) + 1));
	return true;
}

/* Moves a chunk's frames to the page, folded; returns how many of the chunk were taken. */
static size_t append_chunk(struct page *page, const json_t *chunk)
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
		json_auto_t *note = fold_note(chunk, at - period, period, times);
		if (!page_add(page, note))
			return at;
		at += times * period;
	}
	return at;
}

/* As frames_collect. */
static bool collect(struct replay *replay, int thread, int start, struct page *page, int *next,
    struct failure *failure)
{
	int level = start, ask = page->depth < CHUNK ? (int)page->depth + 1 : CHUNK;

	*next = -1;
	while (level - start < SCAN_MAX) {
		json_auto_t *chunk = NULL;

		if (!read_frames(replay, thread, level, ask, page->arguments, &chunk, failure))
			return false;
		size_t count = json_array_size(chunk), taken = append_chunk(page, chunk);
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

bool frames_collect(struct replay *replay, int thread, int start, int depth, size_t budget,
    json_t *frames, int *next, struct failure *failure)
{
	struct page page = {
	    .frames = frames, .room = budget, .depth = (size_t)depth, .arguments = true};

	return collect(replay, thread, start, &page, next, failure);
}

json_t *frames_from(struct replay *replay, int thread, int start, int depth, size_t budget)
{
	json_t *frames = json_array();
	cleanup_failure struct failure ignored = {0};
	int next;

	frames_collect(replay, thread, start, depth, budget, frames, &next, &ignored);
	return frames;
}

json_t *frames_places(struct replay *replay, int start, int depth, size_t budget)
{
	struct page page = {.frames = json_array(), .room = budget, .depth = (size_t)depth};
	cleanup_failure struct failure ignored = {0};
	int next;

	collect(replay, replay_selected(replay)->number, start, &page, &next, &ignored);
	return page.frames;
}

json_t *frames_near(struct replay *replay, int depth, size_t budget)
{
	return frames_from(replay, replay_selected(replay)->number, 0, depth, budget);
}

/* gdb's "Stack level 0, frame at 0x7fffffffe0d0:". */
static unsigned long long read_address(const char *said)
{
	return hex_behind(said, "frame at ");
}

unsigned long long frames_address(struct replay *replay)
{
	return read_address(
	    gdb_shown(replay_gdb(replay), "lines of the function may be missing", "info frame"));
}

unsigned long long frames_address_at(struct replay *replay, int level)
{
	return read_address(gdb_shown(replay_gdb(replay), NULL, "info frame level %d", level));
}

int frames_at_address(struct replay *replay, unsigned long long address)
{
	for (int level = 0; address && level < LEVELS_MAX; level++) {
		unsigned long long at = frames_address_at(replay, level);

		if (at == address)
			return level;
		if (!at)
			break;
	}
	return -1;
}

int frames_own_level(struct replay *replay)
{
	json_auto_t *frames = frames_near(replay, OWN_DEPTH, OWN_BYTES);
	const json_t *own = frames_first_own(replay, frames);
	int level = 0;

	if (own && frame_is_own(replay, own))
		level = (int)json_integer_value(json_object_get(own, "level"));
	return level;
}

void frames_select_own(struct replay *replay, json_t *answer)
{
	int level = frames_own_level(replay);

	if (level > 0 && selection_set_frame(replay, level) && answer)
		json_object_set_new(answer, "selected_frame", json_integer(level));
}

bool frames_number(
    struct replay *replay, int level, const char *expression, unsigned long long *number)
{
	struct gdb *gdb = replay_gdb(replay);
	json_auto_t *results = NULL;
	const char *value = NULL;

	enum gdb_outcome outcome = gdb_command(gdb, &results,
	    "-data-evaluate-expression --thread %d --frame %d %s\"(unsigned long) %s\"",
	    replay_selected(replay)->number, level, expression[0] == '$' ? "--language c " : "",
	    expression);

	/* Many count frames up to the one that is not there. */
	if (outcome == GDB_DONE)
		value = mi_text(results, "value");
	else if (expression[0] == '$' && !gdb_says(gdb_message(gdb), SAYS_NO_FRAME))
		gdb_done_or_warn(gdb, outcome, "a register of a frame was not read");
	if (value)
		*number = strtoull(value, NULL, 0);
	return value != NULL;
}
