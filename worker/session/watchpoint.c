/*
 * Sets hardware watchpoints in gdb, and finds the address that an expression denotes. Never lets
 * gdb watch by single steps, which takes hours. Does not know the client's list of breakpoints.
 */
#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi.h"
#include "worker/session/accessed.h"
#include "worker/session/conditional.h"
#include "worker/session/hardware.h"
#include "worker/session/internal.h"
#include "worker/session/unplaced.h"
#include "worker/session/watchpoint.h"

char *watchpoint_address(struct replay *replay, const char *expression)
{
	char quoted[GDB_QUOTED_MAX], text[REPLAY_EXPRESSION_MAX + 64];
	json_t *results = NULL;
	const char *address;
	char *resolved = NULL;

	snprintf(text, sizeof(text), "(void *) &(%s)", expression);
	if (mi_quote(quoted, sizeof(quoted), text) > 0 &&
	    gdb_command(replay->gdb, &results,
		"-data-evaluate-expression --thread %d --frame %d %s", replay->selected.number,
		replay->selected.frame, quoted) == GDB_DONE) {
		address = mi_text(results, "value");
		if (address)
			resolved = strndup(address, strcspn(address, " "));
	}
	json_decref(results);
	return resolved;
}

/* Runs a console command in the selected thread and frame. */
static bool command_here(struct replay *replay, const char *command, struct failure *failure)
{
	char quoted[GDB_QUOTED_MAX];

	return gdb_quote(quoted, "expression", command, failure) &&
	       gdb_check(replay->gdb,
		   gdb_command(replay->gdb, NULL,
		       "-interpreter-exec --thread %d --frame %d console %s",
		       replay->selected.number, replay->selected.frame, quoted),
		   ERROR_INVALID_ARGUMENT,
		   "give an expression that has an address in the selected frame, or one of the "
		   "form *(TYPE *) ADDRESS",
		   failure);
}

static bool watch(struct replay *replay, const char *expression, enum watch_access access,
    bool location, const char *condition, struct failure *failure)
{
	static const char *const verbs[] = {
	    [WATCH_WRITE] = "watch", [WATCH_READ] = "rwatch", [WATCH_ACCESS] = "awatch"};
	char command[GDB_QUOTED_MAX / 2];
	int length = snprintf(command, sizeof(command), "%s%s (%s)%s%s%s", verbs[access],
	    location ? " -l" : "", expression, condition ? " if (" : "", condition ? condition : "",
	    condition ? ")" : "");

	if (length < 0 || (size_t)length >= sizeof(command)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "the expression is too long");
		return false;
	}
	gdb_forget_created(replay->gdb);
	return command_here(replay, command, failure);
}

/* Whether gdb understands the type's name in every frame. It writes the type into the expression of
 * a watched location, and reads it again whenever symbols change. In a frame of C code it then
 * finds no class, and the watchpoint misses writes without a word. */
static bool is_plain_type(struct replay *replay, const char *expression)
{
	static const char words[] =
	    " type = const volatile signed unsigned char short int long float double bool _Bool ";
	char command[GDB_QUOTED_MAX / 2], word[32];
	struct failure ignored = {0};
	const char *at, *type;
	size_t length;
	bool fine;

	snprintf(command, sizeof(command), "whatis (%s)", expression);
	fine = command_here(replay, command, &ignored);
	json_decref(ignored.details);
	type = fine ? strstr(gdb_console_text(replay->gdb), "type = ") : NULL;
	if (!type)
		return true;
	if (strpbrk(type, "{<") || strstr(type, "::"))
		return false;
	if (strncmp(type, "type = struct ", 14) == 0 || strncmp(type, "type = union ", 13) == 0 ||
	    strncmp(type, "type = enum ", 12) == 0)
		return true;
	for (at = type; *at && *at != '\n'; at += length) {
		length = strcspn(at, " *&[]0123456789\n");
		snprintf(word, sizeof(word), " %.*s ", (int)length, at);
		if (length && (length + 3 > sizeof(word) || !strstr(words, word)))
			return false;
		length += strspn(at + length, " *&[]0123456789");
	}
	return true;
}

/* A pointer of ours keeps the address and the type, whatever the frame. */
static bool watch_pointed(struct replay *replay, const char *expression, enum watch_access access,
    const char *condition, struct failure *failure)
{
	char text[GDB_QUOTED_MAX / 2];
	int number = replay->watched + 1;

	snprintf(text, sizeof(text), "set $rr_watched%d = &(%s)", number, expression);
	if (!command_here(replay, text, failure))
		return false;
	snprintf(text, sizeof(text), "*$rr_watched%d", number);
	if (!watch(replay, text, access, false, condition, failure))
		return false;
	replay->watched = number;
	return true;
}

void watchpoint_place(
    char place[static WATCHPOINT_PLACE_MAX], const char *expression, long long length)
{
	static const char *const types[] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"};

	if (length == 0)
		snprintf(place, WATCHPOINT_PLACE_MAX, "%s", expression);
	else if (length <= 8 && types[length])
		snprintf(place, WATCHPOINT_PLACE_MAX, "*(unsigned %s *) (%s)", types[length],
		    expression);
	else
		snprintf(place, WATCHPOINT_PLACE_MAX, "*(unsigned char (*)[%lld]) (%s)", length,
		    expression);
}

int watchpoint_insert(struct replay *replay, const char *expression, enum watch_access access,
    bool location, const char *condition, struct failure *failure)
{
	bool pointed = location && !is_plain_type(replay, expression);
	int number;

	if (!(pointed ? watch_pointed(replay, expression, access, condition, failure)
		      : watch(replay, expression, access, location, condition, failure))) {
		unplaced_explain(replay, expression, failure);
		return 0;
	}
	number = mi_number(gdb_created_breakpoint(replay->gdb), "number", 0);
	if (number && hardware_is(gdb_created_breakpoint(replay->gdb))) {
		if (conditional_fit(replay, failure))
			return number;
		internal_delete(replay, number);
		return 0;
	}
	internal_delete(replay, number);
	failure_set(failure, ERROR_UNSUPPORTED,
	    "watch a part of it: the hardware can watch 4 places of at most 8 bytes",
	    "the hardware cannot watch %.200s, and watching it in single steps would take hours",
	    expression);
	return 0;
}

json_t *watchpoint_unmapped(struct replay *replay, unsigned long long address, long long length)
{
	uint8_t byte;

	if (accessed_whole(replay, address, &byte, 1))
		return NULL;
	return json_sprintf("nothing is mapped at 0x%llx at the session's moment%s", address,
	    length ? ": with length, expression is an address, so write & before a variable" : "");
}
