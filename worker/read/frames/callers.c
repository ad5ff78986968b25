/*
 * For each list of frames gdb/MI goes through all that are further in: 20 million for 200,000 in
 * lists of a thousand. gdb's Python, where there is one, goes on from each to the next.
 */
#include "worker/read/frames/callers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/check.h"
#include "worker/gdb/library.h"
#include "worker/gdb/mi/mi.h"
#include "worker/read/frames/frames.h"
#include "worker/serve/begins.h"
#include "worker/session/selection.h"

#define LIST	    1000 /* frames */
#define CALLERS_MAX 1000000
#define COMMAND_MAX 4096
#define ANSWER	    "rr-caller "

enum found { FOUND_NOT, FOUND_NONE, FOUND, FOUND_FAILED };

/* Looks at one list. FOUND_NOT: there may be more frames behind it. */
static enum found look(
    struct replay *replay, const char *function, int from, int *level, struct failure *failure)
{
	json_t *stack, *frame;
	enum found found = FOUND_NONE;
	size_t i;

	if (!frames_list(
		replay, replay_selected(replay)->number, from, from + LIST - 1, &stack, failure))
		return FOUND_FAILED;
	if (json_array_size(stack) == LIST)
		found = FOUND_NOT;
	json_array_foreach(stack, i, frame)
	{
		const char *name = mi_text(frame, "func");
		if (found != FOUND && name && strcmp(name, function) == 0) {
			*level = mi_number(frame, "level", 0);
			found = FOUND;
		}
	}
	json_decref(stack);
	return found;
}

/* Asks gdb's Python. FOUND_NOT: it cannot tell. */
static enum found ask(
    struct replay *replay, const char *function, int *level, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	char command[COMMAND_MAX];
	const char *said;
	int out;

	if (!library_is_plain(function) || library_run(gdb, "callers") != GDB_DONE ||
	    (size_t)snprintf(command, sizeof(command), "python rr_caller('%s',%d)", function,
		CALLERS_MAX) >= sizeof(command))
		return FOUND_NOT;
	if (!selection_console(replay, command)) {
		if (gdb_was_interrupted(gdb))
			worker_fail_interrupted(replay_worker(replay), failure);
		else
			gdb_check(gdb, replay_worker(replay)->broken ? GDB_LOST : GDB_REFUSED,
			    ERROR_GDB_FAILED, NULL, failure);
		return FOUND_FAILED;
	}
	said = behind_mark(gdb_console_text(gdb), ANSWER);
	out = said ? (int)strtol(said, NULL, 10) : 0;
	*level = replay_selected(replay)->frame + out;
	return out > 0 ? FOUND : FOUND_NONE;
}

int callers_find(struct replay *replay, const char *function, struct failure *failure)
{
	int level = -1, first = replay_selected(replay)->frame + 1;
	enum found found = look(replay, function, first, &level, failure);

	if (found == FOUND_NOT)
		found = ask(replay, function, &level, failure);
	for (int from = first + LIST; found == FOUND_NOT && from < CALLERS_MAX; from += LIST)
		found = look(replay, function, from, &level, failure);
	if (found == FOUND_NOT || found == FOUND_NONE)
		failure_set(failure, ERROR_NOT_FOUND, "rr_backtrace shows the callers",
		    "no caller named %.200s", function);
	return found == FOUND ? level : -1;
}

bool callers_have_no_lines(struct replay *replay)
{
	static const char answer[] = "rr-lines 0";
	struct gdb *gdb = replay_gdb(replay);
	const char *said;

	return library_run(gdb, "callers") == GDB_DONE &&
	       gdb_console(gdb, &said, "python rr_lines()") == GDB_DONE &&
	       strncmp(said, answer, strlen(answer)) == 0;
}
