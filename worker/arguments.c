/*
 * Reads a tool's arguments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/arguments.h"

const char *argument_text(json_t *args, const char *name, const char *absent)
{
	const char *text = json_string_value(json_object_get(args, name));

	return text ? text : absent;
}

bool argument_flag(json_t *args, const char *name, bool absent)
{
	const json_t *value = json_object_get(args, name);

	return json_is_boolean(value) ? json_is_true(value) : absent;
}

bool argument_integer(json_t *args, const char *name, long long absent, long long min,
    long long max, long long *value, struct op_reply *reply)
{
	const json_t *given = json_object_get(args, name);
	const char *wrong = NULL;

	*value = absent;
	if (!given || json_is_null(given))
		return true;
	if (json_is_string(given))
		*value = strtonum(json_string_value(given), min, max, &wrong);
	else if (json_is_integer(given))
		*value = json_integer_value(given);
	else
		wrong = "not a number";
	if (!wrong && *value >= min && *value <= max)
		return true;
	op_fail(reply, ERROR_INVALID_ARGUMENT, NULL, "%s must be a number from %lld to %lld", name,
	    min, max);
	return false;
}

const char *argument_required(json_t *args, const char *name, struct op_reply *reply)
{
	const char *text = argument_text(args, name, NULL);

	if (text && *text)
		return text;
	op_fail(reply, ERROR_INVALID_ARGUMENT, NULL, "%s must be given", name);
	return NULL;
}

int argument_choice(
    json_t *args, const char *name, const char *const *choices, int absent, struct op_reply *reply)
{
	const char *text = argument_text(args, name, NULL);
	char list[256] = "";

	if (!text)
		return absent;
	for (int i = 0; choices[i]; i++) {
		if (strcmp(choices[i], text) == 0)
			return i;
		size_t length = strlen(list);
		snprintf(list + length, sizeof(list) - length, "%s%s", i ? ", " : "", choices[i]);
	}
	op_fail(reply, ERROR_INVALID_ARGUMENT, NULL, "%s must be one of: %s", name, list);
	return -1;
}
