/*
 * Sets hardware watchpoints in gdb, and finds the address that an expression denotes. Never lets
 * gdb watch by single steps, which takes hours. Does not know the client's list of breakpoints.
 */
#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi.h"
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

int watchpoint_insert(struct replay *replay, const char *expression, enum watch_access access,
    bool location, const char *condition, struct failure *failure)
{
	static const char *const verbs[] = {
	    [WATCH_WRITE] = "watch", [WATCH_READ] = "rwatch", [WATCH_ACCESS] = "awatch"};
	char command[GDB_QUOTED_MAX / 2], quoted[GDB_QUOTED_MAX];
	int length, number;

	length = snprintf(command, sizeof(command), "%s%s (%s)%s%s%s", verbs[access],
	    location ? " -l" : "", expression, condition ? " if (" : "", condition ? condition : "",
	    condition ? ")" : "");
	if (length < 0 || (size_t)length >= sizeof(command)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "the expression is too long");
		return 0;
	}
	if (!gdb_quote(quoted, "expression", command, failure))
		return 0;
	gdb_forget_created(replay->gdb);
	if (!gdb_check(replay->gdb,
		gdb_command(replay->gdb, NULL,
		    "-interpreter-exec --thread %d --frame %d console %s", replay->selected.number,
		    replay->selected.frame, quoted),
		ERROR_INVALID_ARGUMENT,
		"give an expression that has an address in the selected frame, or one of the form "
		"*(TYPE *) ADDRESS",
		failure)) {
		unplaced_explain(replay, expression, failure);
		return 0;
	}
	number = mi_number(gdb_created_breakpoint(replay->gdb), "number", 0);
	if (number && hardware_is(gdb_created_breakpoint(replay->gdb))) {
		if (hardware_fits(replay, failure))
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
