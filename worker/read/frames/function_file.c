#include "worker/read/frames/function_file.h"

#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/frames/frame.h"
#include "worker/session/selection.h"

#define ASKED_MAX 4 /* frames of one stack */

/* A frame of an inlined function is the library's. */
static const char script[] =
    "python print((lambda f: f.function().symtab.fullname() if f.type() != gdb.INLINE_FRAME and "
    "f.function() and f.function().symtab else '')(gdb.selected_frame()))";

static bool is_of_library(const char *function)
{
	static const char *const names[] = {"std::", "__gnu_cxx::", "void std::", "operator ", "_"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(function, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool may_be_own(const json_t *frame)
{
	const char *function = mi_text(frame, "function");
	char path[FRAME_PATH_MAX];
	int line;

	return function && !is_of_library(function) && frame_place(frame, path, &line) &&
	       frame_is_of_system(path);
}

static void ask(struct replay *replay, int thread, json_t *frame)
{
	int level = (int)json_integer_value(json_object_get(frame, "level"));
	const char *said;

	if (!selection_console_in(replay, thread, level, script))
		return;
	said = gdb_console_text(replay_gdb(replay));
	if (said && said[0] == '/')
		json_object_set_new(
		    frame, "function_file", json_stringn(said, strcspn(said, "\n")));
}

void function_file_add(struct replay *replay, int thread, json_t *frames)
{
	json_t *frame;
	int asked = 0;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		if (asked < ASKED_MAX && may_be_own(frame)) {
			ask(replay, thread, frame);
			asked++;
		}
	}
}
