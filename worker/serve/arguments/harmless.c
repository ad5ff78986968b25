/*
 * Looks for gdb's own names, which all begin with $_, and for arguments that are more than what
 * their name says. Refuses those of gdb's names that are not on the list, because a later gdb may
 * have more of them.
 */
#include "worker/serve/arguments/harmless.h"

#include <ctype.h>
#include <string.h>
#include "worker/serve/arguments/phrase.h"
#include "worker/serve/words.h"

#define NAME_MAX_SHOWN 40
#define DEPTH_MAX      4

/* They only compute, or tell where gdb is. Not $_siginfo: rr takes reading it for the beginning of
 * a call into the program, and leaves the recording. */
static const char *const known[] = {
    "$_",
    "$__",
    "$_exitcode",
    "$_exitsignal",
    "$_thread",
    "$_gthread",
    "$_inferior",
    "$_isvoid",
    "$_cimag",
    "$_creal",
    "$_strlen",
    "$_streq",
    "$_memeq",
    "$_regex",
    "$_as_string",
    "$_caller_is",
    "$_caller_matches",
    "$_any_caller_is",
    "$_any_caller_matches",
    NULL,
};

static bool is_known(const char *name, size_t length)
{
	bool previous_value = true; /* $__, and $_ with a number: values of the history */

	if (is_one_of(name, length, known))
		return true;
	for (size_t i = 2; i < length; i++)
		previous_value = previous_value && isdigit((unsigned char)name[i]);
	return previous_value;
}

bool harmless_text(const char *text, struct failure *failure)
{
	for (const char *at = text; (at = strstr(at, "$_")); at += 2) {
		size_t length = 1;

		while (is_word(at[length]))
			length++;

		if (is_known(at, length))
			continue;
		failure_set(failure, ERROR_NOT_ALLOWED, "use only names of the recorded program",
		    "%.*s belongs to gdb and can reach outside of the recorded program",
		    (int)(length < NAME_MAX_SHOWN ? length : NAME_MAX_SHOWN), at);
		return false;
	}
	return true;
}

#define KIND_STRING	 HARMLESS_NAME
#define KIND_INTEGER	 HARMLESS_NAME
#define KIND_NUMBER	 HARMLESS_NAME
#define KIND_FLAG	 HARMLESS_NAME
#define KIND_CHOICE	 HARMLESS_NAME
#define KIND_TEXTS	 HARMLESS_NAME
#define KIND_TEXT_MAP	 HARMLESS_NAME
#define KIND_OBJECTS	 HARMLESS_NAME
#define KIND_EXPRESSION	 HARMLESS_EXPRESSION
#define KIND_EXPRESSIONS HARMLESS_EXPRESSION
#define KIND_LOCATION	 HARMLESS_LOCATION

/* Each tool, then its arguments with what their types say. */
static const struct {
	const char *tool, *argument;
	enum harmless_kind kind;
} rows[] = {
#define TOOL(NAME, name, handler, operation, deadline, effect, title, description) {.tool = #name},
#define ARG(type, name, required, absent, min, max, choices, help)                                 \
	{.argument = #name, .kind = KIND_##type},
#include "sandbox/wire/tools.def"
};

enum harmless_kind harmless_kind(const char *tool, const char *argument)
{
	bool within = false;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].tool)
			within = strcmp(rows[i].tool, tool) == 0;
		else if (within && strcmp(rows[i].argument, argument) == 0)
			return rows[i].kind;
	}
	return HARMLESS_NAME;
}

/* A text of an argument, or within it. */
struct place {
	const char *tool, *argument;
	enum harmless_kind kind;
	int depth;
	bool may_change; /* the client asks for calls into the program, which runs in a copy then */
};

static bool harmless_string(struct place place, const char *text, struct failure *failure)
{
	if (!harmless_text(text, failure))
		return false;
	switch (place.kind) {
	case HARMLESS_EXPRESSION:
		return phrase_is_expression(place.argument, text, failure) &&
		       (place.may_change || phrase_only_reads(place.argument, text, failure));
	case HARMLESS_LOCATION:
		return phrase_is_location(place.argument, text, failure) &&
		       (text[strspn(text, " ")] != '*' ||
			   phrase_only_reads(place.argument, text, failure));
	case HARMLESS_NAME:
		return true;
	}
	return false;
}

/* rr_evaluate's list, if others stand beside a bad one. */
static bool is_checked_later(struct place place, const json_t *value)
{
	return place.depth == 1 && strcmp(place.tool, "evaluate") == 0 &&
	       strcmp(place.argument, "expressions") == 0 && json_array_size(value) > 1;
}

/* An object's members have no types of their own: its expressions are all named so. */
static enum harmless_kind kind_of_member(const struct place *place, const char *key)
{
	if (place->depth == 0)
		return harmless_kind(place->tool, key);
	return strcmp(key, "expression") == 0 ? HARMLESS_EXPRESSION : HARMLESS_NAME;
}

static bool harmless_value(struct place place, const json_t *value, struct failure *failure)
{
	struct place within = place;
	const char *key;
	json_t *member;
	size_t i;

	within.depth++;
	if (place.depth > DEPTH_MAX) {
		failure_set(
		    failure, ERROR_INVALID_ARGUMENT, NULL, "the arguments are nested too deeply");
		return false;
	}
	if (is_checked_later(place, value))
		return true;
	if (json_is_string(value))
		return harmless_string(place, json_string_value(value), failure);
	json_array_foreach(
	    value, i, member) if (!harmless_value(within, member, failure)) return false;
	json_object_foreach((json_t *)value, key, member)
	{
		within.argument = key;
		within.kind = kind_of_member(&place, key);
		if (!harmless_text(key, failure) || !harmless_value(within, member, failure))
			return false;
	}
	return true;
}

bool harmless_expression(const char *text, bool may_change, struct failure *failure)
{
	return harmless_string((struct place){.tool = "evaluate",
				   .argument = "expression",
				   .kind = HARMLESS_EXPRESSION,
				   .may_change = may_change},
	    text, failure);
}

bool harmless_arguments(const char *tool, const json_t *given, struct failure *failure)
{
	/* Not checked, because this tool works only if the settings allow any gdb command. */
	if (strcmp(tool, "gdb_command") == 0)
		return true;
	return harmless_value(
	    (struct place){.tool = tool,
		.argument = "",
		.may_change = json_is_true(json_object_get(given, "allow_calls"))},
	    given, failure);
}
