/*
 * Finds dynamic_cast<T>(e), and writes "((T) $rr_dynamic_cast ((e), (T) 0, 0))", or for a reference
 * the same with pointers.
 */
#include "worker/gdb/cast.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define CASTS_MAX 16 /* in one text */

static const char word[] = "dynamic_cast";

/* The end of what `open` begins at `at`, behind its counterpart; NULL: there is none. */
static const char *behind(const char *at, char open, char close)
{
	int depth = 0;

	for (; *at; at++) {
		if (*at == open)
			depth++;
		else if (*at == close && --depth == 0)
			return at + 1;
	}
	return NULL;
}

struct cast {
	const char *begin, *end;  /* all of it */
	const char *type, *value; /* inside < > and ( ) */
	size_t type_length, value_length;
	bool reference;
};

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static bool is_within_name(const char *text, const char *at)
{
	return at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '$');
}

/* The last one of the text: nothing behind it is one, so the innermost come first. */
static bool find(const char *text, struct cast *cast)
{
	const char *at = NULL, *next = text, *type, *value;

	for (; (next = strstr(next, word)); next++)
		if (!is_within_name(text, next))
			at = next;
	if (!at)
		return false;
	cast->begin = at;
	type = skip_blanks(at + sizeof(word) - 1);
	value = *type == '<' ? behind(type, '<', '>') : NULL;
	if (!value)
		return false;
	cast->type = type + 1;
	cast->type_length = (size_t)(value - type) - 2;
	value = skip_blanks(value);
	cast->end = *value == '(' ? behind(value, '(', ')') : NULL;
	if (!cast->end)
		return false;
	cast->value = value + 1;
	cast->value_length = (size_t)(cast->end - value) - 2;
	while (cast->type_length && cast->type[cast->type_length - 1] == ' ')
		cast->type_length--;
	cast->reference = cast->type_length && cast->type[cast->type_length - 1] == '&';
	while (cast->type_length && cast->type[cast->type_length - 1] == '&')
		cast->type_length--;
	return true;
}

static bool replace(char *to, size_t size, const char *text)
{
	struct cast cast;
	int length;

	if (!find(text, &cast))
		return false;
	/* before it runs, gdb takes the function's result for a number, hence the cast around it */
	length = snprintf(to, size, "%.*s%s(%.*s%s) $rr_dynamic_cast (%s(%.*s), (%.*s%s) 0, %d))%s",
	    (int)(cast.begin - text), text, cast.reference ? "(*" : "(", (int)cast.type_length,
	    cast.type, cast.reference ? " *" : "", cast.reference ? "&" : "",
	    (int)cast.value_length, cast.value, (int)cast.type_length, cast.type,
	    cast.reference ? " *" : "", cast.reference, cast.end);
	return length >= 0 && (size_t)length < size;
}

bool cast_rewrite(char *to, size_t size, const char *text)
{
	char before[8 * 1024];
	int count = 0;

	while (count < CASTS_MAX && replace(to, size, count ? before : text)) {
		count++;
		if ((size_t)snprintf(before, sizeof(before), "%s", to) >= sizeof(before))
			return false;
	}
	if (count)
		snprintf(to, size, "%s", before);
	return count > 0;
}
