/*
 * Reads what gdb prints of a number, and asks gdb about anything else.
 */
#include "worker/read/values/truth.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/read/values/values.h"

/* A number, a character, a pointer or a bool, as gdb prints it in any language. Not the name of an
 * enumerator, which may be that of 0, and not "nan". */
static bool is_number(const char *value, bool *truth)
{
	*truth = strcasecmp(value, "true") == 0 || strcmp(value, ".TRUE.") == 0;
	if (*truth || strcasecmp(value, "false") == 0 || strcmp(value, ".FALSE.") == 0)
		return true;
	value = values_behind_type(value);
	*truth = strtod(value, NULL) != 0.0;
	return isdigit((unsigned char)value[value[0] == '-']);
}

/* gdb knows whether an enumerator is 0, and what a reference refers to. */
static enum truth ask_gdb(struct replay *replay, const char *expression, char *why, size_t size)
{
	char negation[REPLAY_EXPRESSION_MAX + 512];
	cleanup_free char *value = NULL;
	bool is_false;

	snprintf(negation, sizeof(negation), "!(%.*s)", REPLAY_EXPRESSION_MAX + 500, expression);
	value = values_text(replay, negation, why, size);
	if (value && is_number(value, &is_false))
		return is_false ? TRUTH_NO : TRUTH_YES;
	if (value)
		snprintf(why, size, "%s", value);
	return TRUTH_UNREAD;
}

enum truth expression_truth(
    struct replay *replay, const char *expression, const char *value, char *why, size_t size)
{
	bool is_true;

	if (is_number(value, &is_true))
		return is_true ? TRUTH_YES : TRUTH_NO;
	if (value[0] == '<') { /* gdb's remark, such as <optimized out> */
		snprintf(why, size, "%s", value);
		return TRUTH_UNREAD;
	}
	return strchr("{[\"", value[0]) ? TRUTH_REFUSED : ask_gdb(replay, expression, why, size);
}
