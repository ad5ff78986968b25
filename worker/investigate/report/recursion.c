/*
 * Compares frames by their functions alone, because a cycle may run through other lines each time.
 * gdb walks some ten thousand frames in a second, so the depth is only counted up to a bound. That
 * is a number of frames and no time, so that the answer is the same on a busy machine.
 */
#include "worker/investigate/report/recursion.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/read/frames/frames.h"
#include "worker/read/names/brief_name.h"

#define LOOKED_AT    100 /* innermost frames */
#define PERIOD_MAX   24
#define START_MAX    10 /* leaf functions above the cycle */
#define DEPTH_MIN    60
#define DEPTH_FIRST  4000
#define DEPTH_MAX    128000
#define OUTER_FRAMES 40
#define OUTER_BYTES  4000
#define INNER_BYTES  6000
#define SAMPLES	     8
#define NAMES_MAX    300
#define AND_MORE     ", ..."

static json_t *names_of(struct replay *replay, int from, int to)
{
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL, *names = json_array(), *frame;
	const char *name;
	size_t i;

	if (gdb_done_or_warn(gdb,
		gdb_command(gdb, &results, "-stack-list-frames --thread %d %d %d",
		    replay_selected(replay)->number, from, to),
		"a recursion was not looked for in all frames"))
		json_array_foreach(json_object_get(results, "stack"), i, frame)
		{
			name = mi_text(frame, "func");
			json_array_append_new(names, json_string(name ? name : "??"));
		}
	json_decref(results);
	return names;
}

static bool is_same(const json_t *names, size_t a, size_t b)
{
	return json_equal(json_array_get(names, a), json_array_get(names, b));
}

/* From which frame on, and with which period, the functions repeat to the end of the list. */
static bool find_cycle(const json_t *names, size_t *start, size_t *period)
{
	size_t count = json_array_size(names);

	for (*start = 0; *start < START_MAX; (*start)++)
		for (*period = 1; *period <= PERIOD_MAX; (*period)++) {
			size_t at = *start;

			while (at + *period < count && is_same(names, at, at + *period))
				at++;
			if (count >= DEPTH_MIN && at + *period == count)
				return true;
		}
	return false;
}

static bool is_in_cycle(const json_t *names, size_t start, size_t period, const json_t *name)
{
	for (size_t i = start; i < start + period; i++)
		if (json_equal(json_array_get(names, i), name))
			return true;
	return false;
}

/* How deep the stack is. gdb keeps the frames that it has walked. *whole: it is not deeper. */
static int count_depth(struct replay *replay, bool *whole)
{
	int depth = 0;

	/* If gdb refuses, it is at least as deep as gdb said before: "more than ... times". */
	*whole = false;
	for (int limit = DEPTH_FIRST; !*whole && limit <= DEPTH_MAX; limit *= 2) {
		json_auto_t *results = NULL;

		if (gdb_command(replay_gdb(replay), &results, "-stack-info-depth --thread %d %d",
			replay_selected(replay)->number, limit) != GDB_DONE)
			break;
		depth = mi_number(results, "depth", 0);
		*whole = depth < limit;
	}
	return depth;
}

/* Looks at some frames in between. */
static bool is_all_cycle(
    struct replay *replay, const json_t *names, size_t start, size_t period, int depth)
{
	bool all = true;

	for (int i = 1; i < SAMPLES && all; i++) {
		int level = (int)((long long)(depth - OUTER_FRAMES) * i / SAMPLES);
		json_t *sample = names_of(replay, level, level), *name = json_array_get(sample, 0);

		all = name && is_in_cycle(names, start, period, name);
		json_decref(sample);
	}
	return all;
}

static void tell_names(const json_t *names, size_t start, size_t period, char text[NAMES_MAX])
{
	char name[BRIEF_NAME_MAX];
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = start; i < start + period; i++) {
		brief_name(json_string_value(json_array_get(names, i)), name);
		/* A name is told whole or not at all. */
		if (length + strlen(name) + sizeof(AND_MORE) + 2 > NAMES_MAX) {
			snprintf(text + length, NAMES_MAX - length, AND_MORE);
			break;
		}
		length += (size_t)snprintf(
		    text + length, NAMES_MAX - length, "%s%s", i > start ? ", " : "", name);
	}
}

/* The outermost frames that are not of the cycle; *level is that of the first of them. */
static json_t *outer_frames(
    struct replay *replay, const json_t *names, size_t start, size_t period, int depth, int *level)
{
	int from = depth > OUTER_FRAMES ? depth - OUTER_FRAMES : 0;
	json_auto_t *all = names_of(replay, from, depth - 1);
	size_t first = json_array_size(all);

	while (first > 0 && !is_in_cycle(names, start, period, json_array_get(all, first - 1)))
		first--;
	*level = from + (int)first;
	return frames_from(
	    replay, replay_selected(replay)->number, *level, OUTER_FRAMES, OUTER_BYTES);
}

static void tell(
    const char *names, size_t period, long long times, bool whole, char said[RECURSION_SAID_MAX])
{
	snprintf(said, RECURSION_SAID_MAX, "%s %s, %s%lld times", names,
	    period == 1 ? "calls itself" : "call each other", whole ? "" : "more than ", times);
}

/* The first cycle, the fold, and what lies below it, whose first level it returns. */
static int rebuild(struct replay *replay, json_t *frames, const json_t *names, size_t start,
    size_t period, int depth, bool whole, const char *text)
{
	json_auto_t *inner = frames_from(replay, replay_selected(replay)->number, 0,
			(int)(start + period), INNER_BYTES),
		    *outer = NULL;
	json_t *frame;
	size_t i, shown = 0;
	int end = depth;

	outer = whole ? outer_frames(replay, names, start, period, depth, &end) : json_array();

	json_array_clear(frames);
	json_array_foreach(inner, i, frame)
	{
		if (json_object_get(frame, "folded"))
			break;
		json_array_append(frames, frame);
		shown++;
	}
	json_array_append_new(frames,
	    json_pack("{s:I,s:o,s:I}", "folded", (json_int_t)end - (json_int_t)shown, "what",
		json_sprintf("%s again and again%s", text, whole ? "" : ", and there are more"),
		"period", (json_int_t)period));
	json_array_extend(frames, outer);
	return end;
}

bool recursion_fold(struct replay *replay, json_t *frames, int *more, char said[RECURSION_SAID_MAX])
{
	json_auto_t *names = names_of(replay, 0, LOOKED_AT - 1);
	size_t start, period;
	char text[NAMES_MAX];
	bool whole, found = find_cycle(names, &start, &period);
	int depth = found ? count_depth(replay, &whole) : 0;
	long long calls; /* from a frame of the cycle to the next one */

	found = found && depth > LOOKED_AT && is_all_cycle(replay, names, start, period, depth);
	if (found) {
		tell_names(names, start, period, text);
		calls = rebuild(replay, frames, names, start, period, depth, whole, text) -
			(long long)start - 1;
		tell(text, period, calls / (long long)period, whole, said);
		*more = whole ? -1 : depth;
	}
	return found;
}
