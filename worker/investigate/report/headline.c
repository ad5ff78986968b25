/*
 * A part of a function that the compiler has moved away (.cold) has no name in a library without
 * debug information: the function is the one that was called.
 */
#include "worker/investigate/report/headline.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/names/brief_name.h"
#include "worker/read/code/called.h"
#include "worker/read/code/modules.h"

#define NAME_MAX_ (BRIEF_NAME_MAX + 64)

/* "exn+0x13d5"; "no source": no file has that code. */
static void place_of(struct replay *replay, const json_t *frame, char *text, size_t size)
{
	json_auto_t *copy = json_copy((json_t *)frame);
	const char *at;

	if (!mi_text(copy, "at"))
		modules_locate_one(replay, copy);
	at = mi_text(copy, "at");
	snprintf(text, size, "%.600s", at ? at : "no source");
}

/* `caller`: the frame that called it; NULL: not known. */
static const char *name_of(
    struct replay *replay, const json_t *frame, const json_t *caller, char name[NAME_MAX_])
{
	const char *function = mi_text(frame, "function");
	unsigned long long back = caller ? mi_address(caller, "address") : 0;
	char brief[BRIEF_NAME_MAX];
	struct symbol called;

	if (function)
		return brief_name(function, name);
	if (back && called_before(replay, back, &called))
		snprintf(name, NAME_MAX_, "%s", brief_name(called.name, brief));
	else
		snprintf(name, NAME_MAX_, "code without a name");
	return name;
}

static const json_t *at_level(const json_t *frames, json_int_t level)
{
	const json_t *frame;
	size_t i;

	json_array_foreach((json_t *)frames, i, frame)
	{
		if (json_integer_value(json_object_get(frame, "level")) == level &&
		    !json_object_get(frame, "folded"))
			return frame;
	}
	return NULL;
}

void headline_where(
    struct replay *replay, const json_t *frames, const json_t *own, char *text, size_t size)
{
	json_int_t level = json_integer_value(json_object_get(own, "level"));
	const json_t *below = at_level(frames, level - 1);
	char own_name[NAME_MAX_], below_name[NAME_MAX_], place[640];

	place_of(replay, own, place, sizeof(place));
	name_of(replay, own, at_level(frames, level + 1), own_name);
	if (below)
		snprintf(text, size, "%s, called by %s (%s)",
		    name_of(replay, below, own, below_name), own_name, place);
	else
		snprintf(text, size, "%s (%s)", own_name, place);
}
