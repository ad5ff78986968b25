/*
 * Asks script/inlined.py.
 */
#include "worker/investigate/calls/inlined_pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/breaks/places/inlined.h"
#include "worker/gdb/gdb.h"
#include "worker/gdb/library.h"
#include "worker/serve/begins.h"
#include "worker/session/selection.h"

#define AT_MARK	     "rr-inlined-at "
#define OUTSIDE_MARK "rr-outside"
#define ADDRESS_MAX  24 /* bytes of one in a command */
#define AT_ONCE	     200

static bool is_plain(const char *name)
{
	return strlen(name) < INLINED_NAME_MAX && library_is_plain(name);
}

bool inlined_pass_name(struct replay *replay, unsigned long long address, const char *function,
    char name[INLINED_NAME_MAX], char path[PATH_MAX])
{
	char command[INLINED_NAME_MAX + 64];
	const char *said;

	if (!is_plain(function) || !inlined_is_taught(replay))
		return false;
	snprintf(command, sizeof(command), "python rr_inlined_at(%llu,'%s')", address, function);
	if (!selection_console(replay, command))
		return false;
	said = gdb_console_text(replay_gdb(replay));
	if (!said || !begins(said, AT_MARK))
		return false;
	said += strlen(AT_MARK);
	snprintf(name, INLINED_NAME_MAX, "%.*s", (int)strcspn(said, "\n"), said);
	said += strcspn(said, "\n");
	said += *said == '\n';
	snprintf(path, PATH_MAX, "%.*s", (int)strcspn(said, "\n"), said);
	return name[0] && is_plain(name);
}

int inlined_pass_level(struct replay *replay, const char *name)
{
	char command[INLINED_NAME_MAX + 64];
	const char *said;
	char *end;
	long level;

	snprintf(command, sizeof(command), "python rr_inlined_level('%s')", name);
	if (!is_plain(name) || !inlined_is_taught(replay) ||
	    gdb_console(replay_gdb(replay), &said, command) != GDB_DONE)
		return -1;
	level = strtol(said, &end, 10);
	return end > said ? (int)level : -1;
}

/* The places from `first` on. */
static bool mark_some(
    struct replay *replay, const char *name, struct function_code *code, size_t first)
{
	char command[INLINED_NAME_MAX + 64 + AT_ONCE * ADDRESS_MAX];
	size_t length =
	    (size_t)snprintf(command, sizeof(command), "python rr_outside('%s',[", name);
	const char *said;
	char *end;

	for (size_t i = first; i < code->count && i < first + AT_ONCE; i++)
		length += (size_t)snprintf(
		    command + length, sizeof(command) - length, "%llu,", code->spots[i].address);
	snprintf(command + length, sizeof(command) - length, "])");
	if (gdb_console(replay_gdb(replay), &said, command) != GDB_DONE ||
	    !begins(said, OUTSIDE_MARK))
		return false;
	for (said += strlen(OUTSIDE_MARK); *said == ' '; said = end) {
		struct spot *spot = function_code_spot(code, strtoull(said, &end, 16));

		if (end == said)
			return false;
		if (spot)
			spot->outside = true;
	}
	return true;
}

bool inlined_pass_mark(struct replay *replay, const char *name, struct function_code *code)
{
	if (!is_plain(name))
		return false;
	for (size_t first = 0; first < code->count; first += AT_ONCE)
		if (!mark_some(replay, name, code, first))
			return false;
	return true;
}
