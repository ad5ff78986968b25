/*
 * Splits gdb's text of a value. Brackets and quotes must match to the end of the text; it must
 * never guess where a member ends.
 */
#include "worker/gdb/mi/notation.h"

#include <string.h>

#define DEPTH_MAX 40 /* of brackets within one member */

bool span_begins(struct span span, const char *with)
{
	size_t length = strlen(with);

	return span.length >= length && memcmp(span.at, with, length) == 0;
}

bool span_is(struct span span, const char *text)
{
	return span.length == strlen(text) && span_begins(span, text);
}

bool span_is_aggregate(struct span value)
{
	return value.length >= 2 && value.at[0] == '{' && value.at[value.length - 1] == '}';
}

struct span span_inside(struct span aggregate)
{
	return (struct span){aggregate.at + 1, aggregate.length - 2};
}

/* Behind the string or character that begins at `at`; NULL if it does not end. */
static const char *behind_quoted(const char *at, const char *end)
{
	char quote = *at++;

	for (; at < end; at++) {
		if (*at == '\\')
			at++;
		else if (*at == quote)
			return at + 1;
	}
	return NULL;
}

/* Behind an operator's name, whose brackets have no partners: "operator<<", "operator->". */
static const char *behind_operator(const char *at, const char *end)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if ((size_t)(end - at) < length || memcmp(at, word, length) != 0)
		return at;
	for (at += length; at < end && strchr("<>-=", *at); at++)
		;
	return at;
}

/* Behind the text up to a comma outside all brackets and quotes, or up to `end`; NULL if brackets
 * or quotes do not match. */
static const char *behind_member(const char *at, const char *end)
{
	char open[DEPTH_MAX];
	size_t depth = 0;

	while (at < end) {
		const char *next = behind_operator(at, end);
		const char *pair = strchr("{}<>()", *at);
		if (next != at) {
			at = next;
			continue;
		}
		if (*at == '"' || *at == '\'') {
			at = behind_quoted(at, end);
			if (!at)
				return NULL;
			continue;
		}
		if (*at == ',' && depth == 0)
			return at;
		if (pair && *at && strchr("{<(", *at)) {
			if (depth == DEPTH_MAX)
				return NULL;
			open[depth++] = *at;
		} else if (pair && *at && (depth == 0 || open[--depth] != pair[-1])) {
			return NULL;
		}
		at++;
	}
	return depth == 0 ? end : NULL;
}

/* Where " = " stands in a member, outside all brackets; NULL: the member is a value alone. */
static const char *find_equals(struct span member)
{
	const char *at = member.at, *end = at + member.length;
	size_t depth = 0;

	if (member.length && strchr("{\"'", *at))
		return NULL;
	for (; at + 3 < end; at++) {
		if (*at == '<')
			depth++;
		else if (*at == '>' && depth > 0)
			depth--;
		else if (depth == 0 && memcmp(at, " = ", 3) == 0)
			return at;
		else if (depth == 0 && strchr("{\"'", *at))
			return NULL;
	}
	return NULL;
}

static struct member member_of(struct span whole)
{
	const char *equals = find_equals(whole);
	struct member member = {whole, {whole.at, 0}, whole};

	if (equals) {
		member.name.length = (size_t)(equals - whole.at);
		member.value = (struct span){equals + 3, whole.length - member.name.length - 3};
	}
	return member;
}

/* A string with repetitions has commas of its own: "aaa", 'b' <repeats 20 times>. */
static bool continues(const struct members *members, struct span text)
{
	return members->count && members->list[members->count - 1].name.length && text.length &&
	       strchr("\"'", text.at[0]);
}

bool notation_split(struct span text, struct members *members)
{
	const char *at = text.at, *end = at + text.length;

	members->count = 0;
	while (at < end) {
		const char *next = behind_member(at, end);
		struct span whole = {at, next ? (size_t)(next - at) : 0};
		if (!next || whole.length == 0)
			return false;
		if (continues(members, whole)) {
			struct span *last = &members->list[--members->count].whole;
			whole = (struct span){last->at, (size_t)(next - last->at)};
		} else if (members->count == NOTATION_MEMBERS_MAX) {
			return false;
		}
		members->list[members->count++] = member_of(whole);
		if (next == end)
			return true;
		if (end - next < 3 || next[1] != ' ')
			return false;
		at = next + 2;
	}
	return true;
}

const struct member *notation_find(const struct members *members, const char *name)
{
	for (size_t i = 0; i < members->count; i++)
		if (span_is(members->list[i].name, name))
			return &members->list[i];
	return NULL;
}
