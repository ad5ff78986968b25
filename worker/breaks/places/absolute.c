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
	BASE_MAX = 256,
	BASES_MAX = 16, /* looked at, of one class */
};

/* Classes that others inherit from. */
struct bases {
	char name[BASES_MAX][BASE_MAX];
	size_t count;
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

/* Copies the name of the next class in "public A, virtual private B<int, 2> {", and moves *at
 * behind it. False: there is none. */
static bool next_base(const char **at, char name[BASE_MAX])
{
	static const char *const before[] = {"public ", "protected ", "private ", "virtual "};
	const char *from = *at + strspn(*at, ", "), *end;
	int nested = 0;

	for (end = from; *end && *end != '{' && *end != '\n' && (nested || *end != ','); end++)
		nested += (*end == '<') - (*end == '>');
	*at = end;
	while (end > from && end[-1] == ' ')
		end--;
	for (;;) {
		size_t word = strcspn(from, " ");
		bool named = true;

		for (size_t i = 0; i < sizeof(before) / sizeof(*before) && named; i++)
			named = strncmp(from, before[i], strlen(before[i])) != 0;
		if (named || from + word >= end)
			break;
		from += word + 1;
	}
	return end > from && snprintf(name, BASE_MAX, "%.*s", (int)(end - from), from) < BASE_MAX;
}

/* The classes that are named behind "struct derived : ", at the end of the list; it may be full. */
static void add_bases(struct bases *bases, const char *declared)
{
	const char *type = declared ? strstr(declared, "type = ") : NULL;
	const char *end = type ? type + strcspn(type, "{\n") : NULL;
	const char *at = type ? strstr(type, " : ") : NULL;

	if (!at || at >= end)
		return;
	at += strlen(" : ");
	while (bases->count < BASES_MAX && next_base(&at, bases->name[bases->count]))
		bases->count++;
}

/* Whether the object's type, or a class that it inherits from, declares the member as a
 * bit-field. */
static bool has_bits(struct replay *replay, const struct member *member)
{
	struct bases bases = {.count = 0};
	char declared[TEXT_MAX], command[BASE_MAX + 8];
	bool told = ask(replay, "ptype ", member->object);

	snprintf(declared, sizeof(declared), " %s : ", member->path);
	for (size_t next = 0; told; next++) {
		const char *type = gdb_console_text(replay_gdb(replay));
		const char *found = type ? strstr(type, declared) : NULL;

		if (found && isdigit((unsigned char)found[strlen(declared)]))
			return true;
		add_bases(&bases, type);
		if (next == bases.count)
			break;
		/* Not in parentheses: gdb would expect an expression to cast behind them. */
		snprintf(command, sizeof(command), "ptype %s", bases.name[next]);
		told = selection_console(replay, command);
	}
	return false;
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
	struct absolute_bit_field ignored;

	return absolute_find_bit_field(replay, expression, &ignored);
}

bool absolute_find_bit_field(
    struct replay *replay, const char *expression, struct absolute_bit_field *field)
{
	struct member member;
	char text[TEXT_MAX];

	strip(text, expression);
	if (!split(text, strlen(text), &member) || !has_bits(replay, &member))
		return false;
	snprintf(field->object, sizeof(field->object), "%s", member.object);
	snprintf(field->name, sizeof(field->name), "%s", member.path);
	return true;
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
