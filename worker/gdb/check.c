/*
 * Turns what gdb answered into the error that the client gets, and refuses text that gdb could not
 * take. It never sends a command to gdb.
 */
#include <string.h>
#include "worker/gdb/check.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/says.h"

bool gdb_quote(char *to, const char *what, const char *text, struct failure *failure)
{
	if (mi_quote(to, GDB_QUOTED_MAX, text) >= 0)
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT, "give it as one line of plain text",
	    "%s contains control characters, or is longer than %d bytes", what, GDB_QUOTED_MAX - 8);
	return false;
}

/* Whether gdb refused because the expression would change the program, or call it. */
static bool is_harmful(const char *message)
{
	return gdb_says(message, SAYS_CALLS_ARE_OFF) || gdb_says(message, SAYS_WRITES_ARE_OFF);
}

bool gdb_check(struct gdb *gdb, enum gdb_outcome outcome, enum error_code code, const char *hint,
    struct failure *failure)
{
	const struct failure *loss = &gdb_worker(gdb)->loss;
	const char *message = gdb_message(gdb);

	switch (outcome) {
	case GDB_DONE:
		return true;
	case GDB_REFUSED:
		if (gdb_was_interrupted(gdb) && gdb_says(message, SAYS_INTERRUPTED))
			worker_fail_interrupted(gdb_worker(gdb), failure);
		else if (is_harmful(message))
			failure_set(failure, ERROR_NOT_ALLOWED,
			    "only read values: without calls of functions, =, ++ and --; "
			    "rr_trace_calls with returns shows what calls of a function returned",
			    "%s", message);
		else
			failure_set(failure, code, hint, "%s", message);
		return false;
	case GDB_LOST:
		failure_set(failure, loss->code, loss->hint, "%s", loss->message);
		return false;
	}
	return false;
}
