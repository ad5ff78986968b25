/*
 * Reads one argument of each type, within the bounds of its row.
 */
#include "worker/serve/arguments/arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/wire/tools.h"

#define CHOICE_WORDS_MAX 256

static bool fail(const char *name, const char *what, struct failure *failure)
{
	failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "%s must be %s", name, what);
	return false;
}

static const json_t *value_of(const struct argument *argument)
{
	const json_t *value = json_object_get(argument->given, argument->name);

	return json_is_null(value) ? NULL : value;
}

static bool is_plain_text(const json_t *value)
{
	return json_is_string(value) &&
	       strlen(json_string_value(value)) == json_string_length(value);
}

bool arguments_are_known(const json_t *given, const char *const *names, struct failure *failure)
{
	const char *key;
	json_t *value;

	if (!json_is_object(given)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "args must be an object");
		return false;
	}
	json_object_foreach((json_t *)given, key, value)
	{
		const char *const *name = names;
		while (*name && strcmp(*name, key) != 0)
			name++;
		if (!*name) {
			failure_set(
			    failure, ERROR_INVALID_ARGUMENT, NULL, "unknown argument %.64s", key);
			return false;
		}
	}
	return true;
}

bool argument_string(struct argument argument, const char **text, struct failure *failure)
{
	const json_t *value = value_of(&argument);

	if (value && !is_plain_text(value))
		return fail(argument.name, "text", failure);
	if (json_string_length(value) > (size_t)argument.max) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "%s is longer than %lld bytes",
		    argument.name, argument.max);
		return false;
	}
	*text = json_string_length(value) ? json_string_value(value) : NULL;
	return *text || !argument.required || fail(argument.name, "given", failure);
}

bool argument_integer(struct argument argument, long long *integer, struct failure *failure)
{
	const json_t *value = value_of(&argument);

	*integer = value ? json_integer_value(value) : argument.absent;
	if (!value && !argument.required)
		return true;
	if (json_is_integer(value) && *integer >= argument.min && *integer <= argument.max)
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "%s must be a number from %lld to %lld",
	    argument.name, argument.min, argument.max);
	return false;
}

bool argument_number(struct argument argument, double *number, struct failure *failure)
{
	const json_t *value = value_of(&argument);

	*number = json_number_value(value);
	return !value || (json_is_number(value) && isfinite(*number)) ||
	       fail(argument.name, "a number", failure);
}

bool argument_flag(struct argument argument, bool *flag, struct failure *failure)
{
	const json_t *value = value_of(&argument);

	*flag = value ? json_is_true(value) : argument.absent != 0;
	return !value || json_is_boolean(value) || fail(argument.name, "true or false", failure);
}

bool argument_choice(struct argument argument, unsigned *choice, struct failure *failure)
{
	const json_t *value = value_of(&argument);
	const char *text = json_string_value(value);
	char words[CHOICE_WORDS_MAX] = "one of:";

	*choice = 0;
	if (!value)
		return true;
	for (; argument.choices[*choice]; (*choice)++) {
		if (text && strcmp(argument.choices[*choice], text) == 0)
			return true;
		strlcat(words, *choice ? ", " : " ", sizeof(words));
		strlcat(words, argument.choices[*choice], sizeof(words));
	}
	return fail(argument.name, words, failure);
}

bool argument_texts(struct argument argument, json_t **texts, struct failure *failure)
{
	const json_t *value = value_of(&argument);
	bool fine = value ? json_is_array(value) : !argument.required;

	for (size_t i = 0; fine && i < json_array_size(value); i++)
		fine = is_plain_text(json_array_get(value, i));
	*texts = (json_t *)value;
	return fine || fail(argument.name, "a list of strings", failure);
}

bool argument_objects(struct argument argument, json_t **objects, struct failure *failure)
{
	const json_t *value = value_of(&argument);
	bool fine = value ? json_is_array(value) : !argument.required;

	for (size_t i = 0; fine && i < json_array_size(value); i++)
		fine = json_is_object(json_array_get(value, i));
	*objects = (json_t *)value;
	if (!fine)
		return fail(argument.name, "a list of objects", failure);
	if (json_array_size(value) <= (size_t)argument.max)
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "%s has more than %lld elements",
	    argument.name, argument.max);
	return false;
}

bool argument_text_map(struct argument argument, json_t **map, struct failure *failure)
{
	const json_t *value = value_of(&argument);

	*map = (json_t *)value;
	return !value || json_is_object(value) || fail(argument.name, "an object", failure);
}

bool argument_thread(const char *name, const char *text, long long absent, long long *thread,
    struct failure *failure)
{
	const char *wrong = NULL;

	*thread = text ? strtonum(text, 1, TOOL_NUMBER_MAX, &wrong) : absent;
	if (!wrong)
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "%s must be a number from 1 to %d", name,
	    TOOL_NUMBER_MAX);
	return false;
}
