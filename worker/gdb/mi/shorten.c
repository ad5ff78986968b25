/*
 * Copies gdb's text of a value, and passes over what is left out.
 */
#include "worker/gdb/mi/shorten.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"

#define NO_DATA	  "<No data fields>"
#define CLASS_MAX 4096 /* bytes of a class's name; a program can have any number of brackets */

static bool begins(const char *at, const char *with)
{
	return strncmp(at, with, strlen(with)) == 0;
}

/* At the bracket that closes the one at `at`; NULL: none does. */
static const char *closing(const char *at)
{
	const char *from = at;
	int depth = 0;

	for (; *at && at - from < CLASS_MAX; at++) {
		depth += *at == '<';
		depth -= *at == '>' && at[-1] != '-';
		if (depth == 0)
			return at;
	}
	return NULL;
}

/* Behind "core::option::Option<...>::". NULL: it begins otherwise. */
static const char *behind_type(const char *at)
{
	static const char *const types[] = {"core::option::Option<", "core::result::Result<"};
	const char *end;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (begins(at, types[i])) {
			end = closing(at + strlen(types[i]) - 1);
			return end && begins(end, ">::") ? end + 3 : NULL;
		}
	return NULL;
}

/* Behind a base without data, in front of the members that follow. NULL likewise. */
static const char *behind_base(const char *at)
{
	static const char empty[] = " = {" NO_DATA "}", rest[] = ", " NO_DATA "}";
	const char *end = *at == '<' ? closing(at) : NULL;

	if (begins(at, rest))
		return at + strlen(rest) - 1;
	if (!end || !begins(end + 1, empty))
		return NULL;
	end += 1 + strlen(empty);
	return begins(end, rest) ? end + strlen(rest) - 1 : begins(end, ", ") ? end + 2 : end;
}

static const char *behind_noise(const char *at)
{
	const char *behind = behind_type(at);

	return behind ? behind : behind_base(at);
}

char *shorten_value(const char *value)
{
	char *text, *to, quote = '\0';
	const char *behind;

	if (!strstr(value, "core::option::Option<") && !strstr(value, "core::result::Result<") &&
	    !strstr(value, NO_DATA))
		return NULL;
	text = to = strdup(value);
	for (const char *at = value; text && *at;) {
		if (!quote && (behind = behind_noise(at)) != NULL) {
			at = behind;
			continue;
		}
		if (quote && *at == '\\' && at[1])
			*to++ = *at++;
		else if (*at == '"' && (!quote || quote == '"'))
			quote = quote ? '\0' : '"';
		*to++ = *at++;
	}
	if (!text || to == text + strlen(value)) {
		free(text);
		return NULL;
	}
	*to = '\0';
	return text;
}

void shorten_results(json_t *results)
{
	static const char *const values[] = {"value", "old", "new"};
	json_t *child;
	const char *name;
	size_t i;

	json_array_foreach(results, i, child) shorten_results(child);
	json_object_foreach(results, name, child) shorten_results(child);
	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		const char *value = mi_text(results, values[i]);
		char *shortened = value ? shorten_value(value) : NULL;

		if (shortened)
			json_object_set_new(results, values[i], json_string(shortened));
		free(shortened);
	}
}
