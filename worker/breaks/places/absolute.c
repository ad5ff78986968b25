/*
 * Asks gdb for addresses and the types of pointers to them. Never takes a bit-field for the word
 * that it lies in.
 */
#include "worker/breaks/places/absolute.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/serve/words.h"
#include "worker/session/selection.h"
#include "worker/read/values/values.h"
#include "worker/read/values/place.h"

enum {
	TEXT_MAX = REPLAY_EXPRESSION_MAX + 32,
	TYPE_MAX_BYTES = 256,
};

/* "object.inner.member", split somewhere. */
struct member {
	char object[TEXT_MAX]; /* an expression for what lies around it */
	size_t length;	       /* of the object in the text; 0: it is not written there as such */
	const char *path;      /* "member", or "inner.member", to the text's end */
};

/* The expression without spaces and parentheses around it. */
static void strip(char to[TEXT_MAX], const char *expression)
{
	size_t length = strlen(expression);

	for (;;) {
		while (length && isspace((unsigned char)*expression)) {
			expression++;
			length--;
		}
		while (length && isspace((unsigned char)expression[length - 1]))
			length--;
		if (length < 2 || *expression != '(' || expression[length - 1] != ')' ||
		    memchr(expression + 1, '(', length - 1))
			break;
		expression++;
		length -= 2;
	}
	snprintf(to, TEXT_MAX, "%.*s", (int)length, expression);
}

/* Splits the first `length` bytes of text before their last name; false if that is no member. */
static bool split(const char *text, size_t length, struct member *member)
{
	size_t name = length;

	while (name && is_word(text[name - 1]))
		name--;
	if (name == length || isdigit((unsigned char)text[name]))
		return false;
	member->path = text + name;
	member->length = 0;
	if (name == 0)
		snprintf(member->object, TEXT_MAX, "*this");
	else if (name > 2 && strncmp(text + name - 2, "->", 2) == 0)
		snprintf(member->object, TEXT_MAX, "*(%.*s)", (int)name - 2, text);
	else if (name > 1 && text[name - 1] == '.')
		snprintf(member->object, TEXT_MAX, "%.*s", (int)(member->length = name - 1), text);
	else
		return false;
	return true;
}

static bool ask(struct replay *replay, const char *command, const char *about)
{
	char text[TEXT_MAX + 32];

	snprintf(text, sizeof(text), "%s(%s)", command, about);
	return selection_console(replay, text);
}

/* Whether the object's type declares the member as a bit-field. */
static bool has_bits(struct replay *replay, const struct member *member)
{
	char declared[TEXT_MAX];
	const char *found;

	if (!ask(replay, "ptype ", member->object))
		return false;
	snprintf(declared, sizeof(declared), " %s : ", member->path);
	found = strstr(gdb_console_text(replay_gdb(replay)), declared);
	return found && isdigit((unsigned char)found[strlen(declared)]);
}

/* "(TYPE *) ADDRESS", or NULL if there is no address (NULL), or the object's type has no name. */
static char *pointer_to(struct replay *replay, const char *object, const char *address)
{
	const char *type;
	char text[TYPE_MAX_BYTES + 32];
	size_t length;

	if (!address || !ask(replay, "whatis &", object))
		return NULL;
	type = strstr(gdb_console_text(replay_gdb(replay)), "type = ");
	type = type ? type + strlen("type = ") : "{";
	length = strcspn(type, "\n");
	if (length > TYPE_MAX_BYTES || memchr(type, '{', length))
		return NULL;
	snprintf(text, sizeof(text), "(%.*s) %s", (int)length, type, address);
	return strdup(text);
}

/* A bit-field of text, as a member of the innermost object around it whose type has a name. */
static char *bit_field(struct replay *replay, const char *text, struct member *member)
{
	cleanup_free char *pointer = NULL;
	char absolute[TEXT_MAX + TYPE_MAX_BYTES];

	for (;;) {
		cleanup_free char *address = place_address(replay, member->object);

		pointer = pointer_to(replay, member->object, address);
		if (pointer)
			break;
		if (replay_worker(replay)->broken || !split(text, member->length, member))
			return NULL;
	}
	snprintf(absolute, sizeof(absolute), "(%s)->%s", pointer, member->path);
	return strdup(absolute);
}

/* As bytes, because its type has no name. */
static char *bytes_of(struct replay *replay, const char *expression, const char *address)
{
	cleanup_free char *value = NULL, *type = NULL;
	char text[PLACE_EXPRESSION_MAX], why[256];
	long long size;

	snprintf(text, sizeof(text), "sizeof(%s)", expression);
	if (values_read(replay, text, &value, &type, why, sizeof(why)) != 0)
		return NULL;
	size = strtoll(value, NULL, 10);
	if (size <= 0)
		return NULL;
	place_expression(text, address, size);
	return strdup(text);
}

bool absolute_is_bit_field(struct replay *replay, const char *expression)
{
	struct member member;
	char text[TEXT_MAX];

	strip(text, expression);
	return split(text, strlen(text), &member) && has_bits(replay, &member);
}

char *absolute_expression(struct replay *replay, const char *expression, const char *address)
{
	struct member member;
	cleanup_free char *pointer = NULL;
	char text[TEXT_MAX], absolute[TYPE_MAX_BYTES + 64];

	if (!address)
		return NULL;
	strip(text, expression);
	if (split(text, strlen(text), &member) && has_bits(replay, &member))
		return bit_field(replay, text, &member);
	pointer = pointer_to(replay, text, address);
	if (!pointer)
		return bytes_of(replay, text, address);
	snprintf(absolute, sizeof(absolute), "*%s", pointer);
	return strdup(absolute);
}
