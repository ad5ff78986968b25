/*
 * See show.h. Only prints.
 */
#include "tests/demo/show.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

#define TEXT_MAX     4096
#define FRAMES_SHOWN 4

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

const char *show_text(const json_t *answer, const char *path)
{
	const char *text = json_string_value(answer_at(answer, path));
	return text == NULL ? "" : text;
}

void show_line(const char *format, ...)
{
	char text[TEXT_MAX];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	for (char *at = text; *at != 0; at++)
		if (*at == '\t' || *at == '\n')
			*at = ' ';
	bool whole = strlen(text) <= SHOW_WIDTH;
	printf("     %.*s%s\n", whole ? SHOW_WIDTH : SHOW_WIDTH - 4, text, whole ? "" : " ...");
	fflush(stdout);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* A path below the working directory is shown from there. */
static const char *shorten(const char *text)
{
	static char here[TEXT_MAX];
	if (here[0] == 0 && getcwd(here, sizeof(here)) == NULL)
		return text;
	size_t length = strlen(here);
	return strncmp(text, here, length) == 0 && text[length] == '/' ? text + length + 1 : text;
}

static void append_value(char *text, size_t size, const json_t *value)
{
	json_t *item;
	size_t i;

	if (json_is_string(value)) {
		strlcat(text, shorten(json_string_value(value)), size);
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, item)
		{
			strlcat(text, i == 0 ? "" : " ", size);
			append_value(text, size, item);
		}
	} else {
		char *word = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
		strlcat(text, word == NULL ? "" : word, size);
		free(word);
	}
}

void show_call(const char *tool, const json_t *args)
{
	char text[TEXT_MAX] = "";
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)args, key, value)
	{
		if (strcmp(key, "session") == 0)
			continue;
		strlcat(text, text[0] == 0 ? "" : ", ", sizeof(text));
		strlcat(text, key, sizeof(text));
		strlcat(text, ": ", sizeof(text));
		append_value(text, sizeof(text), value);
	}
	printf("  -> %s %.*s\n", tool, SHOW_WIDTH, text);
	fflush(stdout);
}

/* ---- Frames and source ----------------------------------------------------------------------- */

const char *show_place(const json_t *answer, const char *path)
{
	static char text[TEXT_MAX];
	const json_t *frame = path[0] == 0 ? answer : answer_at(answer, path);

	snprintf(text, sizeof(text), "%s", base_name(show_text(frame, "at")));
	return text;
}

static void show_frame(const json_t *frame)
{
	const char *function = show_text(frame, "function");

	if (function[0] != 0)
		show_line("#%lld %s(%s) at %s",
		    (long long)json_integer_value(json_object_get(frame, "level")), function,
		    show_text(frame, "args"), show_place(frame, ""));
}

static const char *without_indent(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

/* The source is one string with "=>" at the current line. */
const char *show_current_line(const json_t *answer)
{
	static char text[TEXT_MAX];
	const char *mark = strstr(show_text(answer, "source"), "=>");

	text[0] = 0;
	if (mark != NULL) {
		mark = without_indent(mark + 2);
		while (isdigit((unsigned char)*mark))
			mark++;
		mark = without_indent(mark);
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(mark, "\n"), mark);
	}
	return text;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void show_values(const json_t *values, const char *name)
{
	json_t *one;
	size_t i;

	json_array_foreach(values, i, one)
	{
		show_line("%s = %s", show_text(one, name), show_text(one, "value"));
	}
}

static void show_lines(const json_t *lines)
{
	json_t *line;
	size_t i;

	json_array_foreach(lines, i, line) show_line("%s", json_string_value(line));
}

static void show_frames(const json_t *frames)
{
	json_t *frame;
	size_t i;

	json_array_foreach(frames, i, frame)
	{
		if (i == FRAMES_SHOWN)
			break;
		show_frame(frame);
		if (i == 0)
			show_lines(json_object_get(frame, "locals"));
	}
}

static void show_signal(const json_t *answer)
{
	if (answer_at(answer, "signal") != NULL)
		show_line("%s", show_text(answer, "signal"));
	if (answer_at(answer, "fault") != NULL)
		show_line("%s of %s: %s", show_text(answer, "fault.access"),
		    show_text(answer, "fault.address"), show_text(answer, "fault.mapping"));
}

/* gdb shows pointers with their type before them: "(struct session *) 0x55 <sessions+96>". */
const char *show_bare_value(const char *value)
{
	const char *end = value[0] == '(' ? strstr(value, ") ") : NULL;
	return end == NULL ? value : end + 2;
}

static void show_change(const json_t *change)
{
	if (answer_at(change, "old") != NULL)
		show_line("%s%swas %s, became %s", show_text(change, "expression"),
		    answer_at(change, "expression") != NULL ? " " : "",
		    show_bare_value(show_text(change, "old")),
		    show_bare_value(show_text(change, "new")));
}

/* "sandbox full", or "sandbox degraded: user_ns, net_ns, ...", the layers that are there. */
static void show_sandbox(const json_t *sandbox)
{
	char text[TEXT_MAX] = "";
	const char *layer;
	json_t *value;

	if (sandbox == NULL)
		return;
	json_object_foreach(json_object_get(sandbox, "layers"), layer, value)
	{
		const char *status = json_string_value(value);
		if (strcmp(status == NULL ? show_text(value, "status") : status, "full") != 0)
			continue;
		strlcat(text, text[0] == 0 ? "" : ", ", sizeof(text));
		strlcat(text, layer, sizeof(text));
	}
	show_line("sandbox %s%s%s", show_text(sandbox, "level"), text[0] == 0 ? "" : ": ", text);
}

void show_answer(const json_t *answer)
{
	const json_t *frame = answer_at(answer, "frame");
	const char *current = show_current_line(answer);

	if (answer_at(answer, "message") != NULL)
		show_line("failed: %s", show_text(answer, "message"));
	if (answer_at(answer, "reason") != NULL && answer_at(answer, "signal") == NULL)
		show_line("stopped: %s", show_text(answer, "reason"));
	show_sandbox(answer_at(answer, "sandbox"));
	show_signal(answer);
	show_change(answer);
	show_change(answer_at(answer, "watch"));
	if (frame != NULL)
		show_frame(frame);
	show_frames(answer_at(answer, "frames"));
	if (current[0] != 0)
		show_line("=> %s", current);
	show_values(answer_at(answer, "results"), "expression");
	show_values(answer_at(answer, "variables"), "name");
}
