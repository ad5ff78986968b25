/*
 * Asks for the same things twice. Addresses are taken at the first look, because an argument can be
 * gone or changed at the second.
 */
#include "worker/investigate/code/changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/read/values/values.h"

#define VALUE_SHOWN 240

static char *look(struct replay *replay, const char *expression)
{
	char why[64];

	return values_text(replay, expression, why, sizeof(why));
}

static void add(
    struct changes *changes, struct replay *replay, const char *name, const char *expression)
{
	size_t at = changes->count;

	if (at == CHANGES_MAX)
		return;
	snprintf(changes->things[at].name, sizeof(changes->things[at].name), "%s", name);
	snprintf(changes->things[at].expression, sizeof(changes->things[at].expression), "%s",
	    expression);
	changes->things[at].before = look(replay, changes->things[at].expression);
	if (changes->things[at].before)
		changes->count++;
}

/* A pointer to something that can be shown, and not to a function, nor to nothing. */
static bool is_pointer(const char *type, const char *value)
{
	size_t length = strlen(type);

	if (length > 6 && strcmp(type + length - 6, " const") == 0)
		length -= 6;
	return length > 1 && (type[length - 1] == '*' || type[length - 1] == '&') &&
	       !strstr(type, "void *") && !strchr(type, '(') && !strstr(type, "FILE") &&
	       length < 200 && (value[0] == '@' || strncmp(value, "0x", 2) == 0) &&
	       strtoull(value + (value[0] == '@'), NULL, 16) != 0;
}

static void add_argument(struct changes *changes, struct replay *replay, const json_t *argument)
{
	const char *name = mi_text(argument, "name"), *type = mi_text(argument, "type");
	const char *value = mi_text(argument, "value");
	char expression[320], shown[FUNCTION_NAME_MAX + 8];
	size_t length;
	int digits;

	/* gdb also shows what an argument was when the function began, as name@entry. */
	if (!name || !type || !value || strchr(name, '@') || !is_pointer(type, value))
		return;
	/* Behind the address of a static variable is its name; behind a reference's, its value. */
	digits = (int)strspn(value + (value[0] == '@'), "0123456789abcdefx");
	length = strcspn(type, "&");
	if (type[length])
		snprintf(expression, sizeof(expression), "*(%.*s*) %.*s", (int)length, type, digits,
		    value + (value[0] == '@'));
	else
		snprintf(expression, sizeof(expression), "*(%s) %.*s", type, digits, value);
	snprintf(shown, sizeof(shown), "%s%.120s", type[length] ? "" : "*", name);
	add(changes, replay, shown, expression);
}

void changes_begin(
    struct changes *changes, struct replay *replay, int level, const struct function_code *code)
{
	json_t *results = NULL, *frame, *argument;
	char expression[FUNCTION_NAME_MAX + 4];
	size_t i;

	/* Code without debug information has no arguments to list. */
	gdb_try(replay_gdb(replay), &results,
	    "-stack-list-arguments --thread %d --simple-values %d %d",
	    replay_selected(replay)->number, level, level);
	frame = json_array_get(json_object_get(results, "stack-args"), 0);
	json_array_foreach(json_object_get(frame, "args"), i, argument)
	    add_argument(changes, replay, argument);
	json_decref(results);
	for (i = 0; i < code->global_count; i++) {
		snprintf(expression, sizeof(expression), "'%s'", code->globals[i]);
		add(changes, replay, code->globals[i], expression);
	}
}

void changes_end(struct changes *changes, struct replay *replay)
{
	for (size_t i = 0; i < changes->count; i++)
		changes->things[i].after = look(replay, changes->things[i].expression);
}

/* A long text from a bit before the place where the two differ. */
static json_t *around(const char *text, size_t differs)
{
	size_t from = differs > VALUE_SHOWN / 2 ? differs - VALUE_SHOWN / 2 : 0;
	size_t length = strlen(text) - from;
	bool cut = length > VALUE_SHOWN;
	json_auto_t *part = NULL;

	while (from && ((unsigned char)text[from] & 0xc0) == 0x80)
		from--, length++;
	part = scrub_json_middle(text + from, cut ? VALUE_SHOWN : length, VALUE_SHOWN, NULL);
	return json_sprintf(
	    "%s%s%s", from ? "[...] " : "", json_string_value(part), cut ? " [...]" : "");
}

json_t *changes_tell(const struct changes *changes)
{
	json_t *told = json_array();
	size_t differs;

	for (size_t i = 0; i < changes->count; i++) {
		const char *was = changes->things[i].before, *is = changes->things[i].after;

		if (!is || strcmp(was, is) == 0)
			continue;
		for (differs = 0; was[differs] == is[differs]; differs++)
			;
		json_auto_t *before = around(was, differs), *after = around(is, differs);
		json_array_append_new(
		    told, json_sprintf("%s: %s -> %s", changes->things[i].name,
			      json_string_value(before), json_string_value(after)));
	}
	return told;
}

void changes_free(struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		free(changes->things[i].before);
		free(changes->things[i].after);
	}
	changes->count = 0;
}
