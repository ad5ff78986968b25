/*
 * Reads the callers' frames and leaves out those that are passed over. A function that was put into
 * its caller at -O2 need be no wrapper: behind the caller that has a frame of its own, the words
 * also tell through which others the call went.
 */
#include "worker/investigate/calls/caller.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/code/where.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"

#define FRAMES_MAX   16
#define FRAMES_BYTES 6000

#define STACK_MAX (FRAMES_MAX + 1)

/* The frames from the innermost on. A kind is "i" for one that stands in its caller's, "-" for one
 * that a call began, and "x" for another. */
struct stack {
	size_t count;
	char kind[STACK_MAX];
	unsigned long long pc[STACK_MAX];
};

static const char stack_script[] =
    "python print((lambda walk: walk(walk, gdb.newest_frame(), 17))(lambda walk, frame, left: '' "
    "if frame is None or not left else '%s%x ' % ({gdb.INLINE_FRAME: 'i', gdb.NORMAL_FRAME: "
    "'-'}.get(frame.type(), 'x'), frame.pc()) + walk(walk, frame.older(), left - 1)))";

/* None where gdb cannot tell. */
static void read_stack(struct replay *replay, struct stack *stack)
{
	const char *said;
	char *end;

	stack->count = 0;
	if (gdb_console(replay_gdb(replay), &said, stack_script) != GDB_DONE)
		return;
	while (stack->count < STACK_MAX && strchr("-ix", *said) && *said) {
		stack->kind[stack->count] = *said;
		stack->pc[stack->count++] = strtoull(said + 1, &end, 16);
		said = end + (*end == ' ');
	}
}

/* "ref" also means "pool::ref". */
static bool is_named(const json_t *skip, const json_t *frame)
{
	const char *function = mi_text(frame, "function"), *name;
	size_t length = function ? strcspn(function, "(<") : 0, i;
	json_t *one;

	json_array_foreach((json_t *)skip, i, one)
	{
		size_t part = json_string_length(one);

		name = json_string_value(one);
		if (!function || !part)
			continue;
		if (strcmp(function, name) == 0)
			return true;
		if (part <= length && memcmp(function + length - part, name, part) == 0 &&
		    (part == length || function[length - part - 1] == ':'))
			return true;
	}
	return false;
}

/* Runs of repeated frames are one entry, without a level. */
static size_t level_of(const json_t *frame)
{
	return (size_t)json_integer_value(json_object_get(frame, "level"));
}

static bool is_inlined(const json_t *frame, const struct stack *stack)
{
	const size_t level = level_of(frame);

	return level > 0 && level < stack->count && stack->kind[level] == 'i';
}

/* Whether the function that a frame's was put into is the program's own. */
static bool is_in_own(
    struct replay *replay, const json_t *frames, const struct stack *stack, size_t at)
{
	while (is_inlined(json_array_get(frames, at), stack))
		at++;
	return frame_is_own(replay, json_array_get(frames, at));
}

/* The frames that are left; *through: what the first one's caller was put into, in order. */
static json_t *beyond(struct replay *replay, const json_t *frames, const struct stack *stack,
    const json_t *skip, json_t *through, bool *named)
{
	json_t *left = json_array(), *frame;
	bool passed = false, over = false;
	size_t i;

	json_array_foreach((json_t *)frames, i, frame)
	{
		if (!over && is_named(skip, frame)) {
			*named = true;
			continue;
		}
		if (!over && is_inlined(frame, stack) && frame_is_own(replay, frame) &&
		    is_in_own(replay, frames, stack, i)) {
			if (passed)
				json_array_append(through, frame);
			passed = true;
			continue;
		}
		over = over || frame_is_own(replay, frame);
		json_array_append(left, frame);
	}
	return left;
}

/* The last one that the words for these frames are about, which may be the last that is looked at;
 * NULL: it is not known. */
static const json_t *last_meant(struct replay *replay, const json_t *frames, bool *no_lines)
{
	const json_t *own = frames_first_own(replay, frames);
	size_t at = 0, wrappers;

	*no_lines = !frame_is_own(replay, own);
	if (*no_lines && !frame_is_unnamed(replay, own)) {
		const json_t *last = json_array_get(frames, json_array_size(frames) - 1);

		return level_of(last) == FRAMES_MAX ? last : NULL;
	}
	while (json_array_get(frames, at) != own)
		at++;
	json_decref(where_callers(replay, frames, own, &wrappers));
	return json_array_get(frames, at + wrappers);
}

/* The return addresses from the innermost frame to the caller at that level, which is not 0. */
static void collect(const struct stack *stack, size_t level, struct decides *decides)
{
	if (!stack->count || stack->kind[0] != '-')
		return;
	for (size_t i = 1; i < stack->count && stack->kind[i] != 'x'; i++) {
		if (stack->kind[i] != '-')
			continue;
		decides->at[decides->depth++] = stack->pc[i];
		if (i >= level)
			return;
	}
	decides->depth = 0;
}

/* Paths below the directory of the client lose it, as in other answers. There the supervisor does
 * that; here it could not tell them from a value of the program. Takes `words`. */
static json_t *without_directory(json_t *words)
{
	const char *from = json_string_value(words), *at;
	char before[PATH_MAX + 3] = "(", *text = NULL;
	size_t size = 0, length;
	FILE *out;

	if (!from || !getcwd(before + 1, PATH_MAX) || !before[2] ||
	    !(out = open_memstream(&text, &size)))
		return words;
	strlcat(before, "/", sizeof(before));
	length = strlen(before);
	for (; (at = strstr(from, before)) != NULL; from = at + length)
		fprintf(out, "%.*s(", (int)(at - from), from);
	fputs(from, out);
	if (fclose(out) == 0) {
		json_decref(words);
		words = json_stringn(text, size);
	}
	free(text);
	return words;
}

/* "use (a.c:9)", or "use (a.c:9), through fill (b.h:4)". */
static json_t *words_of(struct replay *replay, json_t *left, json_t *through)
{
	json_t *where = where_of(replay, left), *words = where_words(where), *frame;
	size_t i;

	json_decref(where);
	json_array_foreach(through, i, frame)
	{
		json_t *longer;

		frame_finish(replay, frame);
		longer = json_sprintf("%s, through %.100s (%.200s)", json_string_value(words),
		    mi_text(frame, "function"), mi_text(frame, "at"));
		json_decref(words);
		words = longer;
	}
	return without_directory(words);
}

json_t *caller_words(struct replay *replay, const json_t *skip, struct decides *decides)
{
	json_t *frames = frames_places(replay, 1, FRAMES_MAX, FRAMES_BYTES);
	json_t *left, *words = NULL, *through = json_array();
	const json_t *last = NULL;
	struct stack stack;
	bool named = false;

	*decides = (struct decides){0};
	read_stack(replay, &stack);
	left = beyond(replay, frames, &stack, skip, through, &named);
	if (json_array_size(left) && !named)
		last = last_meant(replay, left, &decides->no_lines);
	if (last && level_of(last))
		collect(&stack, level_of(last), decides);
	if (json_array_size(left))
		words = words_of(replay, left, through);
	json_decref(left);
	json_decref(through);
	json_decref(frames);
	return words;
}

json_t *caller_shown(struct replay *replay, const json_t *skip)
{
	json_t *frames = frames_places(replay, 1, FRAMES_MAX, FRAMES_BYTES);
	const struct stack unknown = {0};
	json_t *left, *where, *words;
	bool named = false;

	left = beyond(replay, frames, &unknown, skip, NULL, &named);
	if (json_array_size(left)) {
		where = where_of(replay, left);
		words = without_directory(where_words(where));
		json_decref(where);
	} else {
		words = json_string("no caller");
	}
	json_decref(left);
	json_decref(frames);
	return words;
}
