/*
 * Leaves out the types of options and results, which gdb writes in front of each. Texts stay as
 * they are.
 */
#include "worker/gdb/mi/rust_value.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Behind "core::option::Option<...>::" at the beginning of a text; NULL: it begins otherwise. */
static const char *behind_type(const char *at)
{
	static const char *const types[] = {"core::option::Option<", "core::result::Result<"};
	int depth = 0;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (strncmp(at, types[i], strlen(types[i])) != 0)
			continue;
		for (at += strlen(types[i]) - 1; *at; at++) {
			depth += *at == '<';
			depth -= *at == '>' && at[-1] != '-';
			if (depth == 0)
				return strncmp(at, ">::", 3) == 0 ? at + 3 : NULL;
		}
	}
	return NULL;
}

char *rust_value(const char *value)
{
	char *text, *to, quote = '\0';
	const char *behind;

	if (!strstr(value, "core::option::Option<") && !strstr(value, "core::result::Result<"))
		return NULL;
	text = to = strdup(value);
	for (const char *at = value; text && *at;) {
		if (!quote && (behind = behind_type(at)) != NULL) {
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
