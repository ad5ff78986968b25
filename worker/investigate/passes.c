/*
 * gdb sets the breakpoint. Where it stops, we evaluate the condition once more.
 */
#include "worker/investigate/passes.h"

#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi.h"
#include "worker/session/breakpoints.h"
#include "worker/session/names.h"
#include "worker/session/pending.h"
#include "worker/session/values.h"

int passes_set(
    struct replay *replay, const char *location, const char *condition, struct failure *failure)
{
	struct breakpoint wanted = {.what = (char *)location, .condition = (char *)condition};
	json_t *bkpt = breakpoints_insert(replay, &wanted, failure);
	int number;

	if (!bkpt && !replay->worker->broken &&
	    pending_is_likely(replay, location, false, failure)) {
		*failure = (struct failure){0};
		wanted.pending = true;
		bkpt = breakpoints_insert(replay, &wanted, failure);
	}
	number = mi_number(bkpt, "number", 0);
	json_decref(bkpt);
	if (number)
		gdb_command(replay->gdb, NULL, "-break-disable %d", number);
	else if (!replay->worker->broken)
		names_explain(replay, location, condition, failure);
	return number;
}

bool passes_is_true(const char *value)
{
	char *end;

	if (strncmp(value, "true", 4) == 0)
		return true;
	if (value[0] == '(' && strstr(value, ") "))
		value = strstr(value, ") ") + 2;
	return strtod(value, &end) != 0.0 || (end == value && strcmp(value, "false") != 0);
}

bool passes_is_harmful(const char *expression, const char *why, struct failure *failure)
{
	if (!strstr(why, "not allowed") && !strstr(why, "may-call-functions"))
		return false;
	failure_set(failure, ERROR_NOT_ALLOWED,
	    "compare values only: without =, ++ and calls of functions",
	    "%.200s changes the program, or calls it: %.200s", expression, why);
	return true;
}

enum pass passes_judge(struct replay *replay, const char *condition, struct failure *failure)
{
	char *value = NULL, *type = NULL, why[256] = "";
	enum pass pass = PASS_MEANT;

	if (!condition)
		return pass;
	if (values_read(replay, condition, &value, &type, why, sizeof(why)) != 0)
		pass = passes_is_harmful(condition, why, failure) ? PASS_REFUSED : PASS_OTHER;
	else if (!passes_is_true(value))
		pass = PASS_OTHER;
	free(value);
	free(type);
	return pass;
}
