/*
 * Leaves out what stands between the outermost brackets, and knows that those of operators and of
 * "(anonymous namespace)" are none.
 */
#include "worker/read/names/brief_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "worker/read/names/d_name.h"
#include "worker/serve/words.h"

#define OPERATOR  "operator"
#define ANONYMOUS "(anonymous namespace)"
#define LEFT_OUT  "..."

/* How long the name of an operator is that begins here, or of an unnamed namespace; 0: neither. */
static size_t whole_word(const char *name, const char *at)
{
	size_t length = sizeof(OPERATOR) - 1;

	if (strncmp(at, ANONYMOUS, sizeof(ANONYMOUS) - 1) == 0)
		return sizeof(ANONYMOUS) - 1;
	if (strncmp(at, OPERATOR, length) != 0 || (at > name && is_word(at[-1])))
		return 0;
	if (strncmp(at + length, "()", 2) == 0)
		return length + 2;
	return length + strspn(at + length, "<>=-");
}

/* The bracket that closes the one at `open`; NULL: none does. */
static const char *close_of(const char *name, const char *open)
{
	int depth = 0;

	for (const char *at = open; *at; at++) {
		size_t word = whole_word(name, at);

		if (word) {
			at += word - 1;
			continue;
		}
		depth += strchr("<(", *at) != NULL;
		depth -= *at == ')' || (*at == '>' && at[-1] != '-');
		if (depth == 0)
			return at;
	}
	return NULL;
}

/* Copies; what does not fit ends in "...". */
static void append(char text[BRIEF_NAME_MAX], size_t *length, const char *from, size_t count)
{
	size_t room = BRIEF_NAME_MAX - sizeof(LEFT_OUT) - *length;

	if (*length >= BRIEF_NAME_MAX - sizeof(LEFT_OUT) && count)
		room = 0;
	if (count > room) {
		memcpy(text + *length, from, room);
		memcpy(text + *length + room, LEFT_OUT, sizeof(LEFT_OUT));
		*length = BRIEF_NAME_MAX;
		return;
	}
	memcpy(text + *length, from, count);
	*length += count;
	text[*length] = '\0';
}

const char *brief_name(const char *name, char text[BRIEF_NAME_MAX])
{
	size_t length = 0;

	if (d_name(name, text, BRIEF_NAME_MAX))
		return text;
	if (strlcpy(text, name, BRIEF_NAME_MAX) < BRIEF_NAME_MAX)
		return text;
	text[0] = '\0';
	for (const char *at = name; *at && length < BRIEF_NAME_MAX;) {
		size_t word = whole_word(name, at);
		bool opens = !word && strchr("<(", *at);
		const char *close = opens ? close_of(name, at) : NULL;

		append(text, &length, at, word ? word : 1);
		/* The name was cut within the list. */
		if (opens && !close) {
			append(text, &length, LEFT_OUT, sizeof(LEFT_OUT) - 1);
			break;
		}
		if (close && close > at + 1 && length < BRIEF_NAME_MAX)
			append(text, &length, LEFT_OUT, sizeof(LEFT_OUT) - 1);
		at = close ? close : at + (word ? word : 1);
	}
	return text;
}
