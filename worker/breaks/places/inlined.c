/*
 * Asks script/inlined.py. What it cannot tell is said in a warning, not guessed.
 */
#include "worker/breaks/places/inlined.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/exchange.h"
#include "worker/gdb/library.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/warnings.h"
#include "worker/gdb/must.h"
#include "worker/serve/begins.h"
#include "worker/session/taught.h"

#define FOUND	    "rr-inlined "
#define UNKNOWN	    "rr-inlined-unknown "
#define COMMAND_MAX 8192
#define UNCHECKED   "a function that the compiler inlined may be passed more often than this counts"

/* The line in "a.c:12" or "12"; 0: the location is a function. */
static long line_of(const char *location)
{
	const char *colon = strrchr(location, ':'), *digits = colon ? colon + 1 : location;
	char *end;
	long line = strtol(digits, &end, 10);

	return isdigit((unsigned char)digits[0]) && !*end ? line : 0;
}

/* "python rr_inlined('add',0,[(4660,'add')])"; false: no place has a line, so that nothing is known
 * of inlined code, or there are too many. */
static bool write_command(char command[COMMAND_MAX], const char *location, const json_t *bkpt)
{
	const json_t *place;
	long line = line_of(location);
	size_t length = (size_t)snprintf(
	    command, COMMAND_MAX, "python rr_inlined('%s',%ld,[", line ? location : "", line);
	bool has_line = false;

	if (line && (!library_is_plain(location) || length > COMMAND_MAX / 2))
		return false;
	for (size_t i = 0; (place = mi_breakpoint_place(bkpt, i)); i++) {
		const char *name = mi_text(place, "func");

		has_line |= mi_text(place, "line") != NULL;
		name = name ? name : "";
		if (!mi_address(place, "addr") || !library_is_plain(name) ||
		    length + strlen(name) + 40 > COMMAND_MAX)
			return false;
		length += (size_t)snprintf(command + length, COMMAND_MAX - length, "(%llu,'%s'),",
		    mi_address(place, "addr"), name);
	}
	snprintf(command + length, COMMAND_MAX - length, "])");
	return has_line;
}

bool inlined_is_taught(struct replay *replay)
{
	struct taught *taught = replay_taught(replay);

	if (!taught->inlined)
		taught->inlined = gdb_done_or_warn(
		    replay_gdb(replay), library_run(replay_gdb(replay), "inlined"), UNCHECKED);
	return taught->inlined;
}

int inlined_level(struct replay *replay, const char *location)
{
	char command[COMMAND_MAX];
	const char *said;

	/* Only places that were found so are not gdb's own, which it shows as they are named. */
	if (!replay_taught(replay)->inlined || line_of(location) || location[0] == '*' ||
	    !library_is_plain(location) ||
	    snprintf(command, sizeof(command), "python rr_inlined_around('%s')", location) >=
		(int)sizeof(command) ||
	    gdb_console(replay_gdb(replay), &said, command) != GDB_DONE)
		return 0;
	return (int)strtol(said, NULL, 10);
}

/* Whether gdb has a breakpoint at each of the addresses, and nowhere else. */
static bool has_all(const json_t *bkpt, const struct inlined *inlined)
{
	const json_t *place;
	size_t i, j;

	for (i = 0; (place = mi_breakpoint_place(bkpt, i)); i++) {
		for (j = 0; j < inlined->count; j++)
			if (inlined->at[j] == mi_address(place, "addr"))
				break;
		if (j == inlined->count)
			return false;
	}
	return i == inlined->count;
}

static void read_addresses(const char *text, struct inlined *inlined)
{
	char *end;

	for (unsigned long long at; (at = strtoull(text, &end, 16)) && end != text; text = end) {
		if (inlined->count == INLINED_MAX) {
			inlined->unknown = true;
			inlined->count = 0;
			snprintf(inlined->why, sizeof(inlined->why),
			    "there are more than %d ways into it", INLINED_MAX);
			return;
		}
		inlined->at[inlined->count++] = at;
		if (*end != ' ')
			return;
	}
}

/* gdb takes the next line that has code without a word. */
static void warn_next_line(struct replay *replay, const char *location, const json_t *bkpt)
{
	long line = line_of(location);
	const json_t *place;
	const char *other = NULL;
	char text[300];

	for (size_t i = 0; line && (place = mi_breakpoint_place(bkpt, i)); i++) {
		other = mi_text(place, "line");
		if (!other || strtol(other, NULL, 10) == line)
			return;
	}
	if (!other)
		return;
	snprintf(text, sizeof(text),
	    "line %ld has no code of its own there, so this is line %s: the compiler left it out, "
	    "or put it together with others",
	    line, other);
	warnings_add_own(&gdb_exchange(replay_gdb(replay))->warnings, text);
}

struct inlined inlined_find(struct replay *replay, const char *location, const json_t *bkpt)
{
	struct inlined inlined = {0};
	char command[COMMAND_MAX];
	const char *text;

	if (location[strspn(location, " ")] == '*' || !write_command(command, location, bkpt) ||
	    !inlined_is_taught(replay) ||
	    !gdb_done_or_warn(
		replay_gdb(replay), gdb_console(replay_gdb(replay), &text, command), UNCHECKED))
		return inlined;
	if (begins(text, FOUND)) {
		read_addresses(text + strlen(FOUND), &inlined);
	} else if (begins(text, UNKNOWN)) {
		text += strlen(UNKNOWN);
		inlined.unknown = true;
		snprintf(inlined.why, sizeof(inlined.why), "%.*s", (int)strcspn(text, "\n"), text);
	}
	if (!inlined.count)
		warn_next_line(replay, location, bkpt);
	if (has_all(bkpt, &inlined))
		inlined.count = 0;
	return inlined;
}

void inlined_warn(struct replay *replay, const char *location, const struct inlined *inlined)
{
	char text[400];

	snprintf(text, sizeof(text),
	    "the compiler inlined %.80s, and passes may be missing or count twice (%s); "
	    "rr_lines_executed counts its lines, and a build with -O0 all passes",
	    location, inlined->why);
	warnings_add_own(&gdb_exchange(replay_gdb(replay))->warnings, text);
}
