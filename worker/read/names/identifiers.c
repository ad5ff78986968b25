/*
 * See identifiers.h.
 */
#include "worker/read/names/identifiers.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include "worker/serve/words.h"

/* The length of a literal, or of a number with its suffix; 0: it is neither. */
static size_t literal_length(const char *at)
{
	size_t length = 1;

	if (isdigit((unsigned char)*at)) {
		while (is_name(at[length]) || at[length] == '.')
			length++;
		return length;
	}
	if (*at != '"' && *at != '\'')
		return 0;
	length = quoted_at(at);
	return length ? length : strlen(at);
}

/* A member, or a part of a qualified name. */
static bool is_part(const char *begin, const char *at, const char *end)
{
	while (at > begin && at[-1] == ' ')
		at--;
	while (*end == ' ')
		end++;
	return (at > begin && at[-1] == '.') ||
	       (at > begin + 1 &&
		   ((at[-2] == '-' && at[-1] == '>') || (at[-2] == ':' && at[-1] == ':'))) ||
	       strncmp(end, "::", 2) == 0 || *end == '(';
}

/* Words that mean the same everywhere. */
static const char *const constants[] = {"true", "false", "NULL", "nullptr", NULL};

struct identifier identifier_next(const char *text, const char *at)
{
	size_t length;

	for (; *at; at += length) {
		length = literal_length(at);
		if (length)
			continue;
		length = name_at(at);
		if (length && !is_part(text, at, at + length) && !is_one_of(at, length, constants))
			return (struct identifier){at, length};
		length += length == 0;
	}
	return (struct identifier){NULL, 0};
}
