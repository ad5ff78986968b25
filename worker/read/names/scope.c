/*
 * See scope.h. Looks outward first, because the name is mostly a caller's.
 */
#include "worker/read/names/scope.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/names/names.h"

#define LEVELS_MAX     16 /* frames that are looked at */
#define NAME_MAX_BYTES 128

/* The name in `No symbol "NAME" in current context.` False: it is another message. */
static bool read_name(const char *message, char name[NAME_MAX_BYTES])
{
	static const char said[] = "No symbol \"", behind[] = "\" in current context";
	const char *begin = strstr(message, said), *end;

	if (!begin)
		return false;
	begin += sizeof(said) - 1;
	end = strstr(begin, behind);
	if (!end || end - begin >= NAME_MAX_BYTES)
		return false;
	snprintf(name, NAME_MAX_BYTES, "%.*s", (int)(end - begin), begin);
	return true;
}

static bool has_variable(struct replay *replay, int level, const char *name)
{
	json_t *results = NULL, *variable;
	bool found = false;
	size_t i;

	if (gdb_command(replay_gdb(replay), &results,
		"-stack-list-variables --thread %d --frame %d --no-values",
		replay_selected(replay)->number, level) == GDB_DONE)
		json_array_foreach(json_object_get(results, "variables"), i, variable)
		{
			const char *other = mi_text(variable, "name");
			found |= other && strcmp(other, name) == 0;
		}
	json_decref(results);
	return found;
}

/* The level of the nearest frame that has it; -1: none of those on `stack`. */
static int find_level(struct replay *replay, const json_t *stack, const char *name)
{
	struct worker *worker = replay_worker(replay);
	const int from = replay_selected(replay)->frame, count = (int)json_array_size(stack);

	for (int level = from + 1; level < count; level++)
		if (!worker->broken && has_variable(replay, level, name))
			return level;
	for (int level = from - 1; level >= 0; level--)
		if (!worker->broken && has_variable(replay, level, name))
			return level;
	return -1;
}

void scope_explain(struct replay *replay, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	char name[NAME_MAX_BYTES], hint[FAILURE_HINT_MAX];
	json_auto_t *results = NULL;
	int level;

	if (!worker_goes_on(worker) || !read_name(failure->message, name) ||
	    gdb_command(replay_gdb(replay), &results, "-stack-list-frames --thread %d 0 %d",
		replay_selected(replay)->number, LEVELS_MAX - 1) != GDB_DONE)
		return;
	const json_t *stack = json_object_get(results, "stack");
	level = find_level(replay, stack, name);
	if (level >= 0) {
		const char *function = mi_text(json_array_get(stack, (size_t)level), "func");
		snprintf(hint, sizeof(hint),
		    "%s is a variable of frame %d, %.100s: rr_select_frame selects that frame",
		    name, level, function ? function : "??");
		failure_set_hint(failure, hint);
	} else if (!worker->broken) {
		names_suggest_variable(replay, name, failure);
	}
}
