/*
 * Suggests names, so that an agent that mistypes one does not need another call to find the right
 * one.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/says.h"
#include "worker/read/names/names.h"

#define NAME_LENGTH_MAX 64
#define NEAR_MAX	5
#define FOUND_MAX	300

int names_distance(const char *a, const char *b, int limit)
{
	int row[NAME_LENGTH_MAX + 1], before, above;
	size_t n = strlen(a), m = strlen(b);

	if (n > NAME_LENGTH_MAX || m > NAME_LENGTH_MAX)
		return limit;
	for (size_t j = 0; j <= m; j++)
		row[j] = (int)j;
	for (size_t i = 1; i <= n; i++) {
		before = row[0];
		row[0] = (int)i;
		for (size_t j = 1; j <= m; j++) {
			above = row[j];
			int change = before + (a[i - 1] != b[j - 1]);
			int least = above < row[j - 1] ? above + 1 : row[j - 1] + 1;
			row[j] = change < least ? change : least;
			before = above;
		}
	}
	return row[m] < limit ? row[m] : limit;
}

struct near {
	const char *name;
	int distance;
};

static void keep_nearest(struct near *near, const char *name, int distance)
{
	for (size_t i = 0; i < NEAR_MAX; i++) {
		if (near[i].name && strcmp(near[i].name, name) == 0)
			return;
		if (!near[i].name || distance < near[i].distance) {
			memmove(near + i + 1, near + i, (NEAR_MAX - 1 - i) * sizeof(*near));
			near[i] = (struct near){name, distance};
			return;
		}
	}
}

/* The identifier at the end of a location: `file.c:function` → function. */
static void identifier(const char *location, char *name, size_t size)
{
	const char *colon = strrchr(location, ':');
	size_t length = 0;

	for (const char *at = colon ? colon + 1 : location; *at && length + 1 < size; at++) {
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *at))
			name[length++] = *at;
		else if (length)
			break;
	}
	name[length] = '\0';
}

static void look_up(const json_t *results, const char *wanted, struct near *near)
{
	json_t *files = json_object_get(json_object_get(results, "symbols"), "debug"), *file,
	       *symbol;
	size_t i, j;

	json_array_foreach(files, i, file)
	{
		json_array_foreach(json_object_get(file, "symbols"), j, symbol)
		{
			const char *name = mi_text(symbol, "name");
			int limit = (int)strlen(wanted) / 2 + 2;
			int distance = name ? names_distance(wanted, name, limit) : limit;
			if (name && (distance < limit || strstr(name, wanted)))
				keep_nearest(near, name, distance);
		}
	}
}

/* The symbols of a kind that have one half of the name: we assume that a typing error leaves one
 * intact. What gdb refuses suggests nothing. Their names are borrowed from `found`. */
static void look_for(struct replay *replay, const char *kind, const char *wanted, struct near *near,
    json_t *found[2])
{
	char part[NAME_LENGTH_MAX + 1];
	size_t half = strlen(wanted) / 2;

	for (int i = 0; i < 2; i++) {
		snprintf(part, sizeof(part), "%.*s", i ? NAME_LENGTH_MAX : (int)half,
		    wanted + (i ? half : 0));
		if (gdb_command(replay_gdb(replay), &found[i],
			"-symbol-info-%s --max-results %d --name %s", kind, FOUND_MAX,
			part) == GDB_DONE)
			look_up(found[i], wanted, near);
	}
}

static void tell(const struct near *near, struct failure *failure)
{
	size_t length;

	if (!near[0].name)
		return;
	length = (size_t)snprintf(failure->hint, sizeof(failure->hint), "did you mean: ");
	for (size_t i = 0; i < NEAR_MAX && near[i].name; i++) {
		if (length + strlen(near[i].name) + 3 >= sizeof(failure->hint))
			break;
		length += (size_t)snprintf(failure->hint + length, sizeof(failure->hint) - length,
		    "%s%s", i ? ", " : "", near[i].name);
	}
}

int names_suggest(struct replay *replay, const char *location, struct failure *failure)
{
	struct near near[NEAR_MAX + 1] = {0};
	char wanted[NAME_LENGTH_MAX + 1];
	json_t *found[2] = {NULL, NULL};

	identifier(location, wanted, sizeof(wanted));
	if (strlen(wanted) < 2 || (wanted[0] >= '0' && wanted[0] <= '9'))
		return INT_MAX;
	look_for(replay, "functions", wanted, near, found);
	tell(near, failure);
	json_decref(found[0]);
	json_decref(found[1]);
	return near[0].name ? near[0].distance : INT_MAX;
}

void names_suggest_variable(struct replay *replay, const char *name, struct failure *failure)
{
	const struct selection *selected = replay_selected(replay);
	struct near near[NEAR_MAX + 1] = {0};
	json_t *found[4] = {NULL}, *locals = NULL, *variable;
	const int limit = (int)strlen(name) / 3 + 1;
	size_t i;

	if (strlen(name) < 2)
		return;
	if (gdb_command(replay_gdb(replay), &locals,
		"-stack-list-variables --thread %d --frame %d --no-values", selected->number,
		selected->frame) == GDB_DONE)
		json_array_foreach(json_object_get(locals, "variables"), i, variable)
		{
			const char *other = mi_text(variable, "name");
			int distance = other ? names_distance(name, other, limit) : limit;

			if (distance < limit)
				keep_nearest(near, other, distance);
		}
	look_for(replay, "variables", name, near, found);
	if (!near[0].name)
		look_for(replay, "functions", name, near, found + 2);
	tell(near, failure);
	json_decref(locals);
	for (i = 0; i < sizeof(found) / sizeof(*found); i++)
		json_decref(found[i]);
}

/* gdb's message does not say whether it is about the location or about the condition. */
void names_explain(
    struct replay *replay, const char *location, const char *condition, struct failure *failure)
{
	if (gdb_says(failure->message, SAYS_NO_LINE))
		failure_set_hint(failure, "rr_source_lines shows the lines of the file");
	else if (condition && !gdb_says(failure->message, SAYS_NO_LOCATION) && !failure->hint[0])
		failure_set_hint(failure, "the condition is evaluated at the breakpoint's "
					  "location, with the names in scope there");
	else if (!condition || gdb_says(failure->message, SAYS_NO_LOCATION))
		names_suggest(replay, location, failure);
	if (!failure->hint[0])
		failure_set_hint(failure,
		    "a location is a function, file:line or *address; rr_symbols "
		    "finds functions by a part of the name");
}
