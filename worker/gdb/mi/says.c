/*
 * The table of gdb's words, of gdb 13 to 16.
 */
#include "worker/gdb/mi/says.h"

#include <stddef.h>
#include <string.h>

static const struct {
	enum gdb_saying what;
	enum { WITHIN, FIRST, WHOLE } where;
	const char *words;
} sayings[] = {
    {SAYS_ANYTHING, WITHIN, ""},
    {SAYS_INTERRUPTED, WHOLE, "Quit"},
    {SAYS_CALLS_ARE_OFF, WITHIN, "may-call-functions"},
    {SAYS_WRITES_ARE_OFF, WITHIN, "not allowed"},	       /* our own serve/phrase.c, too */
    {SAYS_AMBIGUOUS, WITHIN, "static variables of that name"}, /* read/ambiguous_statics.c */
    {SAYS_UNREADABLE, WITHIN, "Cannot access memory"},
    {SAYS_BY_ZERO, WITHIN, "by zero"},
    {SAYS_TOO_LARGE, WITHIN, "max-value-size"},
    {SAYS_OPTIMIZED_OUT, WITHIN, "optimized out"},
    {SAYS_IN_REGISTER, WITHIN, "which is in register "},
    {SAYS_NO_ADDRESS, WITHIN, "not located in memory"},
    {SAYS_NO_ADDRESS, WITHIN, "isn't an lvalue"},
    {SAYS_NO_ADDRESS, WITHIN, "in register"},
    {SAYS_WOULD_COPY, WITHIN, "to have a function \"malloc\""},
    {SAYS_WOULD_COPY, WITHIN, "may-call-functions is off"},
    {SAYS_INLINED, WITHIN, "may be inlined"},
    {SAYS_NO_OPERATOR, WITHIN, "Could not find operator"},
    {SAYS_NO_FRAME, WITHIN, "Invalid frame number"},
    {SAYS_NO_FRAME, WITHIN, "Not enough frames in stack"},
    {SAYS_NO_FRAME, WITHIN, "Invalid frame id"},
    {SAYS_NO_BOUNDS, WITHIN, "Cannot find bounds"},
    {SAYS_NO_LINE, FIRST, "No line "},
    {SAYS_NO_LINE, FIRST, "No compiled code for line "}, /* since gdb 16 */
    {SAYS_NO_LOCATION, FIRST, "Function "},
    {SAYS_NO_LOCATION, FIRST, "No source file"},
    {SAYS_TOO_MANY_IN_HARDWARE, WITHIN, "Could not insert hardware"},
    {SAYS_UNWATCHABLE, WITHIN, "cannot be implemented"},
    {SAYS_NOT_INSERTED, FIRST, "Cannot insert breakpoint 0."},
    {SAYS_DISCONNECTED, FIRST, "Remote connection closed"},
    {SAYS_DISCONNECTED, FIRST, "Remote communication error"},
    {SAYS_OTHER_REGISTERS, FIRST, "Remote 'g' packet reply"},
    {SAYS_OTHER_REGISTERS, FIRST, "Truncated register"},
    {SAYS_PATTERN_IS_LARGER, WITHIN, "too small"},
    {SAYS_SEARCH_WAS_CUT_OFF, WITHIN, "halting search"},
    {SAYS_PYTHON_FAILED, FIRST, "Error while executing Python"},
    {SAYS_ASSERTION_CONTINUED, FIRST, "Command aborted."},
    {SAYS_NOT_ENABLED, FIRST, "Cannot enable watchpoint "},
    {SAYS_NOT_COMPARED, FIRST, "Error evaluating expression for watchpoint "},
    {SAYS_NOT_SET_AGAIN, FIRST, "Error in re-setting breakpoint "},
};

const char *gdb_says_of(const char *message, enum gdb_saying what)
{
	for (size_t i = 0; i < sizeof(sayings) / sizeof(*sayings); i++) {
		size_t length = strlen(sayings[i].words);
		const char *at;

		if (sayings[i].what != what)
			continue;
		at = strstr(message, sayings[i].words);
		if (at && (sayings[i].where == WITHIN || at == message) &&
		    (sayings[i].where != WHOLE || !at[length]))
			return at + length;
	}
	return NULL;
}

bool gdb_says(const char *message, enum gdb_saying what)
{
	return gdb_says_of(message, what) != NULL;
}
