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

/* An "i" for each frame, from the innermost on, that stands in its caller's; a "-" for another. */
static const char kinds_script[] =
    "python print((lambda walk: walk(walk, gdb.newest_frame(), 17))(lambda walk, frame, left: '' "
    "if frame is None or not left else '-i'[frame.type() == gdb.INLINE_FRAME] + walk(walk, "
    "frame.older(), left - 1)))";

/* Of the callers alone; empty where gdb cannot tell. */
static void read_kinds(struct replay *replay, char kinds[FRAMES_MAX + 1])
{
	const char *said;
	size_t length = 0;

	if (gdb_console(replay_gdb(replay), &said, kinds_script) == GDB_DONE && said[0])
		length = strspn(++said, "-i");
	length = length < FRAMES_MAX ? length : FRAMES_MAX;
	memcpy(kinds, said, length);
	kinds[length] = '\0';
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
static bool is_inlined(const json_t *frame, const char *kinds)
{
	json_int_t level = json_integer_value(json_object_get(frame, "level"));

	return level > 0 && (size_t)level <= strlen(kinds) && kinds[level - 1] == 'i';
}

/* Whether the function that a frame's was put into is the program's own. */
static bool is_in_own(struct replay *replay, const json_t *frames, const char *kinds, size_t at)
{
	while (is_inlined(json_array_get(frames, at), kinds))
		at++;
	return frame_is_own(replay, json_array_get(frames, at));
}

/* The frames that are left; *through: what the first one's caller was put into, in order. */
static json_t *beyond(struct replay *replay, const json_t *frames, const char *kinds,
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
		if (!over && is_inlined(frame, kinds) && frame_is_own(replay, frame) &&
		    is_in_own(replay, frames, kinds, i)) {
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

/* Its address, if the words for these frames are about the first one alone. */
static unsigned long long first_decides(struct replay *replay, const json_t *frames)
{
	const json_t *first = json_array_get(frames, 0);

	return frames_first_own(replay, frames) == first && frame_is_own(replay, first)
		   ? mi_address(first, "address")
		   : 0;
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

json_t *caller_words(struct replay *replay, const json_t *skip, unsigned long long *decides)
{
	json_t *frames =
	    frames_from(replay, replay_selected(replay)->number, 1, FRAMES_MAX, FRAMES_BYTES);
	json_t *left, *words = NULL, *through = json_array();
	char kinds[FRAMES_MAX + 1];
	bool named = false;

	read_kinds(replay, kinds);
	left = beyond(replay, frames, kinds, skip, through, &named);
	*decides = named || !json_array_size(left) ? 0 : first_decides(replay, left);
	if (json_array_size(left))
		words = words_of(replay, left, through);
	json_decref(left);
	json_decref(through);
	json_decref(frames);
	return words;
}

json_t *caller_shown(struct replay *replay, const json_t *skip)
{
	json_t *frames =
	    frames_from(replay, replay_selected(replay)->number, 1, FRAMES_MAX, FRAMES_BYTES);
	json_t *left, *where, *words;
	bool named = false;

	left = beyond(replay, frames, "", skip, NULL, &named);
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
