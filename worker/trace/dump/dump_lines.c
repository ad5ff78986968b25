/*
 * Collects lines up to a bound. Must never trust a length or a number.
 */
#include "worker/trace/dump/dump_lines.h"

#include <stdlib.h>
#include <string.h>

static void append(struct dump_parser *parser, const char *bytes, size_t length)
{
	size_t room = sizeof(parser->line) - 1 - parser->length;

	if (length > room) {
		length = room;
		parser->too_long = true;
	}
	memcpy(parser->line + parser->length, bytes, length);
	parser->length += length;
}

static void tell(struct dump_parser *parser)
{
	parser->line[parser->length] = '\0';
	parser->read_line(parser, parser->line, parser->too_long);
	parser->length = 0;
	parser->too_long = false;
}

void dump_parser_feed(struct dump_parser *parser, const char *bytes, size_t length)
{
	const char *end = bytes + length, *newline;

	while (bytes < end && (newline = memchr(bytes, '\n', (size_t)(end - bytes)))) {
		append(parser, bytes, (size_t)(newline - bytes));
		tell(parser);
		bytes = newline + 1;
	}
	append(parser, bytes, (size_t)(end - bytes));
}

void dump_parser_end(struct dump_parser *parser)
{
	if (parser && parser->length)
		tell(parser);
	if (parser && parser->end)
		parser->end(parser);
	free(parser);
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
