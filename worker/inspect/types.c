/*
 * rr_type: how a type lies in memory, from gdb's ptype/o without its margins.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/serve/handlers.h"
#include "worker/session/replay.h"
#include "worker/read/values/values.h"
#include "worker/session/selection.h"
#include "worker/serve/begins.h"
#include "worker/serve/sentence.h"

#define LINES_MAX	200 /* of one answer */
#define LAYOUT_LINE_MAX 160 /* bytes */
#define MARGIN_MAX	60  /* bytes of gdb's margin in front of a line */

/* The name or expression of the call; NULL with *failure filled. */
static const char *wanted(const struct type_args *args, struct failure *failure)
{
	if (!args->expression == !args->type) {
		failure_set(
		    failure, ERROR_INVALID_ARGUMENT, NULL, "give either expression or type");
		return NULL;
	}
	return args->type ? args->type : args->expression;
}

/* Runs a gdb command about it; false with gdb's message. */
static bool ask(struct replay *replay, const char *command, const char *about)
{
	char text[REPLAY_EXPRESSION_MAX + 32];

	snprintf(text, sizeof(text), "%s %.*s", command, REPLAY_EXPRESSION_MAX, about);
	return selection_console(replay, text);
}

/* In C, a structure's bare name is not a type, and may be a variable. Clients need not know: this
 * writes gdb's name for it to `name`. */
static bool find_name(
    struct replay *replay, const struct type_args *args, const char *about, char *name, size_t size)
{
	struct worker *worker = replay_worker(replay);
	static const char *const kinds[] = {"struct ", "union ", "enum ", ""};

	for (size_t i = args->type ? 0 : 3; i < 4; i++) {
		snprintf(name, size, "%s%.*s", kinds[i], REPLAY_EXPRESSION_MAX, about);
		if (ask(replay, "whatis", name) || worker->broken)
			return !worker->broken;
	}
	return false;
}

static const char *after_type(const char *text)
{
	const char *type = behind_mark(text, "type = ");

	return type ? type : text;
}

/* One line without gdb's margin: "offset size declaration", with the numbers in columns. */
static json_t *layout_line(const char *line, size_t length, size_t margin)
{
	char offset[MARGIN_MAX] = "", bytes[MARGIN_MAX] = "";
	size_t skip = strspn(line, " ");
	const char *text = line, *end = line + length;

	if (margin && strncmp(line, "/*", 2) == 0) {
		sscanf(line, "/* %15[0-9: ]| %15[0-9]", offset, bytes);
		if (!bytes[0])
			sscanf(line, "/* %15[0-9]", bytes);
		text = strncmp(line, "/* XXX", 6) == 0 ? line : line + margin;
	} else if (margin) {
		text = line + (skip < margin ? skip : margin);
	}
	if (text > end)
		text = end;
	for (size_t used = strlen(offset); used && offset[used - 1] == ' '; used--)
		offset[used - 1] = '\0';
	if (!margin)
		return json_sprintf("%.*s", (int)(end - text), text);
	return json_sprintf("%6s %6s %.*s", bytes[0] && offset[0] ? offset : "", bytes,
	    (int)(end - text < LAYOUT_LINE_MAX ? end - text : LAYOUT_LINE_MAX), text);
}

/* The end of gdb's margin of comments; 0: there is none. */
static size_t margin_of(const char *text)
{
	const char *line = strstr(text, "\n/*"), *end = line ? strstr(line, "*/") : NULL;

	return end && end - line < MARGIN_MAX ? (size_t)(end - line) + 1 : 0;
}

static void trim_end(const char *line, size_t *length)
{
	while (*length && line[*length - 1] == ' ')
		(*length)--;
}

/* The lines from `start` on. *more is the number of the next one; 0: that was all. */
static json_t *layout_lines(const char *text, long long start, long long *more)
{
	size_t margin = margin_of(text);
	json_t *lines = json_array();
	long long number = 0;

	*more = 0;
	for (const char *line = after_type(text), *end; *line; line = *end ? end + 1 : end) {
		size_t length;

		end = line + strcspn(line, "\n");
		length = (size_t)(end - line);
		trim_end(line, &length);
		if (!length || number++ < start)
			continue;
		if (json_array_size(lines) == LINES_MAX) {
			*more = number - 1;
			break;
		}
		json_array_append_new(lines, number == 1 ? json_sprintf("%.*s", (int)length, line)
							 : layout_line(line, length, margin));
	}
	return lines;
}

static void add_size(struct replay *replay, const char *name, json_t *result)
{
	char expression[REPLAY_EXPRESSION_MAX + 32], why[128];
	cleanup_free char *value = NULL;
	const char *known = mi_text(result, "type");

	if (known[0] && known[strlen(known) - 1] == ')') /* gdb says 1 for a function */
		return;
	snprintf(expression, sizeof(expression), "sizeof(%s)", name);
	value = values_text(replay, expression, why, sizeof(why));
	if (value)
		json_object_set_new(result, "size", json_integer(strtoll(value, NULL, 10)));
}

static json_t *describe(struct replay *replay, const char *name, long long start)
{
	struct gdb *gdb = replay_gdb(replay);
	const char *text = gdb_console_text(gdb); /* the output of whatis */
	size_t length = strcspn(after_type(text), "\n");
	json_t *result = json_pack("{s:s%}", "type", after_type(text), length);
	long long more = 0;

	add_size(replay, name, result);
	if (ask(replay, "ptype/o", name)) {
		json_auto_t *lines = layout_lines(gdb_console_text(gdb), start, &more);

		if (!json_equal(json_array_get(lines, 0), json_object_get(result, "type")) ||
		    json_array_size(lines) > 1)
			json_object_set(result, "layout", lines);
	}
	answer_add_count(result, "more", more);
	return result;
}

json_t *tool_type(struct replay *replay, const struct type_args *args, struct failure *failure)
{
	const char *about = wanted(args, failure);
	char name[REPLAY_EXPRESSION_MAX + 16];

	if (!about)
		return NULL;
	if (find_name(replay, args, about, name, sizeof(name)))
		return describe(replay, name, args->start);
	gdb_check(replay_gdb(replay), replay_worker(replay)->broken ? GDB_LOST : GDB_REFUSED,
	    ERROR_INVALID_ARGUMENT, "rr_symbols with kind type lists types; rr_locals shows names",
	    failure);
	return NULL;
}
