/*
 * Asks gdb in another way where a value is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/says.h"
#include "worker/read/names/scope.h"
#include "worker/read/names/no_address.h"
#include "worker/read/values/values.h"

#define REGISTER_MAX	 16
#define EXPRESSION_SHOWN 200

static bool is_refusal(const char *message)
{
	return gdb_says(message, SAYS_NO_ADDRESS) || gdb_says(message, SAYS_OPTIMIZED_OUT);
}

/* "$rbx" of `Address requested for identifier "kept" which is in register $rbx`. */
static bool find_register(struct replay *replay, const char *expression, char name[REGISTER_MAX])
{
	const struct selection *selected = replay_selected(replay);
	struct gdb *gdb = replay_gdb(replay);
	char text[REPLAY_EXPRESSION_MAX + 8], quoted[GDB_QUOTED_MAX];
	const char *found;

	snprintf(text, sizeof(text), "&(%s)", expression);
	if (mi_quote(quoted, sizeof(quoted), text) < 0 ||
	    gdb_command(gdb, NULL, "-data-evaluate-expression --thread %d --frame %d %s",
		selected->number, selected->frame, quoted) != GDB_REFUSED)
		return false;
	found = gdb_says_of(gdb_message(gdb), SAYS_IN_REGISTER);
	if (!found)
		return false;
	snprintf(name, REGISTER_MAX, "%.*s", (int)strcspn(found, " ."), found);
	return name[0] == '$';
}

static bool is_optimized_out(struct replay *replay, const char *expression)
{
	char why[256] = "";
	cleanup_free char *value = values_text(replay, expression, why, sizeof(why));

	return value ? strstr(value, "<optimized out>") != NULL : gdb_says(why, SAYS_OPTIMIZED_OUT);
}

bool no_address_explain(struct replay *replay, const char *expression, struct failure *failure)
{
	char name[REGISTER_MAX];
	bool out;

	scope_explain(replay, failure);
	if (replay_worker(replay)->broken)
		return false;
	out = (is_refusal(failure->message) || gdb_says(failure->message, SAYS_WOULD_COPY)) &&
	      is_optimized_out(replay, expression);
	if (!out && !is_refusal(failure->message))
		return false;
	if (out)
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "go back with reverse in rr_step or rr_finish to where the program still keeps "
		    "it",
		    "%.*s is optimized out here: the program does not keep it anywhere",
		    EXPRESSION_SHOWN, expression);
	else if (find_register(replay, expression, name))
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "only memory can be watched; rr_trace_calls on a line of this function, with "
		    "evaluate, shows it at each pass",
		    "%.*s is in register %s here, not in memory", EXPRESSION_SHOWN, expression,
		    name);
	else
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "only memory can be watched: a variable, a member, *(TYPE *) ADDRESS",
		    "%.*s is not in memory here: it is computed, or kept in registers",
		    EXPRESSION_SHOWN, expression);
	return true;
}
