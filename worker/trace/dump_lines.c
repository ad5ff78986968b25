/*
 * Collects lines up to a bound. Must never trust a length or a number.
 */
#include "worker/trace/dump_lines.h"

#include <stdlib.h>
#include <string.h>

static void append(struct dump_lines *lines, const char *bytes, size_t length)
{
	size_t room = sizeof(lines->line) - 1 - lines->length;

	if (length > room) {
		length = room;
		lines->too_long = true;
	}
	memcpy(lines->line + lines->length, bytes, length);
	lines->length += length;
}

static void tell(struct dump_lines *lines, dump_line_taken *taken, void *owner)
{
	lines->line[lines->length] = '\0';
	taken(owner, lines->line, lines->too_long);
	lines->length = 0;
	lines->too_long = false;
}

void dump_lines_feed(
    struct dump_lines *lines, const char *bytes, size_t length, dump_line_taken *taken, void *owner)
{
	const char *end = bytes + length, *newline;

	while (bytes < end && (newline = memchr(bytes, '\n', (size_t)(end - bytes)))) {
		append(lines, bytes, (size_t)(newline - bytes));
		tell(lines, taken, owner);
		bytes = newline + 1;
	}
	append(lines, bytes, (size_t)(end - bytes));
}

void dump_lines_end(struct dump_lines *lines, dump_line_taken *taken, void *owner)
{
	if (lines->length)
		tell(lines, taken, owner);
}

long long dump_number(const char *line, const char *key, long long high)
{
	const char *at = strstr(line, key);
	long long value;
	char *end;

	if (!at)
		return -1;
	at += strlen(key);
	value = strtoll(at, &end, 10);
	return end == at || value < 0 || value > high ? -1 : value;
}
