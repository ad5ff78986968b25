/*
 * Looks for names in the text without parsing it. A name for which gdb finds no address, such as a
 * type or a member, stays as it is.
 */
#include "worker/investigate/search/pin_variables.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "worker/breaks/places/absolute.h"
#include "worker/investigate/code/where.h"
#include "worker/read/frames/frames.h"
#include "worker/read/names/identifiers.h"
#include "worker/read/names/ambiguous_statics.h"
#include "worker/read/names/no_address.h"
#include "worker/serve/words.h"

#define NAME_MAX_BYTES 128
#define RED_ZONE       128 /* bytes below the stack pointer that a function may use */

struct binding {
	struct replay *replay;
	char *to;
	size_t length;
	int count;
};

static void copy(struct binding *binding, const char *text, size_t length)
{
	if (binding->length + length >= PIN_TEXT_MAX)
		length = PIN_TEXT_MAX - 1 - binding->length;
	memcpy(binding->to + binding->length, text, length);
	binding->length += length;
	binding->to[binding->length] = '\0';
}

/* Binds the next variable of gdb's to the address. gdb takes the address of the word that a
 * bit-field lies in, so of one it binds what has it. */
static bool bind(struct binding *binding, const char *name, struct failure *failure)
{
	struct replay *replay = binding->replay;
	struct absolute_bit_field bits;
	bool in_bits = absolute_find_bit_field(replay, name, &bits);
	char command[sizeof(bits.object) + 48], bound[48 + sizeof(bits.name)];

	snprintf(command, sizeof(command), "set $rr_bound%d = &(%s)", binding->count,
	    in_bits ? bits.object : name);
	if (!gdb_check(replay_gdb(replay), gdb_console(replay_gdb(replay), NULL, command),
		ERROR_INVALID_ARGUMENT, NULL, failure))
		return false;
	snprintf(bound, sizeof(bound), "(*$rr_bound%d)%s%s", binding->count++, in_bits ? "." : "",
	    in_bits ? bits.name : "");
	copy(binding, bound, strlen(bound));
	return true;
}

static bool pin_one(
    struct binding *binding, const char *name, size_t length, struct failure *failure)
{
	struct replay *replay = binding->replay;
	struct failure refused = {0};
	char text[NAME_MAX_BYTES];

	if (name[0] == '$' || length >= NAME_MAX_BYTES) {
		copy(binding, name, length);
		return true;
	}
	if (binding->count == PIN_NAMES_MAX) {
		failure_set(
		    failure, ERROR_LIMIT, NULL, "it contains more than %d names", PIN_NAMES_MAX);
		return false;
	}
	snprintf(text, sizeof(text), "%.*s", (int)length, name);
	if (bind(binding, text, &refused))
		return true;
	if (no_address_explain(replay, text, &refused) || replay_worker(replay)->broken) {
		*failure = refused;
		return false;
	}
	copy(binding, name, length);
	return true;
}

/* We take everything above the stack pointer as part of some frame. */
static unsigned long long find_local(const struct binding *binding)
{
	struct replay *replay = binding->replay;
	unsigned long long address, stack, lowest = 0;
	char name[32];

	if (!frames_number(replay, replay_selected(replay)->frame, "$sp", &stack))
		return 0;
	for (int i = 0; i < binding->count; i++) {
		snprintf(name, sizeof(name), "$rr_bound%d", i);
		if (frames_number(replay, replay_selected(replay)->frame, name, &address) &&
		    address + RED_ZONE >= stack && (!lowest || address < lowest))
			lowest = address;
	}
	return lowest;
}

/* The length of "node->next.count" from its first name on; that of the name if a call follows. */
static size_t object_length(const char *name, size_t length)
{
	size_t whole = length, link, member;

	for (;;) {
		link = name[whole] == '.' ? 1 : strncmp(name + whole, "->", 2) == 0 ? 2 : 0;
		member = whole + link;
		if (!link || !(isalpha((unsigned char)name[member]) || name[member] == '_'))
			return whole;
		while (is_word(name[member]))
			member++;
		if (name[member] == '(')
			return length;
		whole = member;
	}
}

bool pin_variables(struct replay *replay, const char *expression, enum pin_means means,
    char bound[PIN_TEXT_MAX], unsigned long long *local, struct failure *failure)
{
	struct binding binding = {.replay = replay, .to = bound};
	const char *at = expression;
	struct identifier next;

	bound[0] = '\0';
	if (!ambiguous_statics_check(replay, expression, failure))
		return false;
	while ((next = identifier_next(expression, at)).name) {
		copy(&binding, at, (size_t)(next.name - at));
		if (means == PIN_OBJECTS)
			next.length = object_length(next.name, next.length);
		if (!pin_one(&binding, next.name, next.length, failure))
			return false;
		at = next.name + next.length;
	}
	copy(&binding, at, strlen(at));
	*local = find_local(&binding);
	return true;
}
