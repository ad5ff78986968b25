/*
 * A list has one call a line: {"tool": ..., "arguments": {...}}. No argument is a moment, because
 * these differ between recordings: a list goes on by `move`, by breakpoints, or to start and end.
 */
#include "tests/bench/scan_calls.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/bench/figures.h"
#include "tests/bench/scan_ask.h"

#define LONGEST	  10
#define ALL_MOST  20 /* seconds, of these together */
#define WHAT_SIZE 53

/* The tool, and the first text that it gets. */
static void name_call(char what[WHAT_SIZE], const char *tool, json_t *arguments)
{
	const char *name, *first = "";
	json_t *value;

	json_object_foreach(arguments, name, value) if (!first[0] && json_is_string(value)) first =
	    json_string_value(value);
	snprintf(what, WHAT_SIZE, "%s %s", tool, first);
}

static void make(struct calls *calls, struct client *client, json_t *call)
{
	const char *tool = json_string_value(json_object_get(call, "tool"));
	json_t *arguments = json_object_get(call, "arguments");
	char what[WHAT_SIZE];
	struct asked asked;

	if (!tool || !arguments || calls->count == CALLS_MAX)
		harness_fail("no call, or more than %d", CALLS_MAX);
	name_call(what, tool, arguments);
	asked = scan_ask(client, tool, json_incref(arguments), NULL);
	calls->seconds[calls->count++] = asked.seconds;
	figure(what, "", "%.2f s%s%s", asked.seconds, asked.cut ? ": cut off " : "", asked.code);
}

void calls_make(struct calls *calls, const char *list, const char *trace)
{
	cleanup_client struct client *client = client_start(NULL);
	char path[128];
	json_t *call;
	FILE *file;

	snprintf(path, sizeof(path), "tests/bench/calls/%s.json", list);
	file = fopen(path, "r");
	if (!file)
		harness_fail("%s: %m", path);
	free(client_replay(client, trace));
	snprintf(path, sizeof(path), "calls about %s", list);
	figures_head(path);
	while ((call = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
		make(calls, client, call);
		json_decref(call);
	}
	fclose(file);
}

static int longest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x < y) - (x > y);
}

void calls_sum(struct calls *calls)
{
	struct asked all = {0};

	if (calls->count == 0)
		return;
	qsort(calls->seconds, calls->count, sizeof(*calls->seconds), longest_first);
	for (size_t i = 0; i < calls->count && i < LONGEST; i++)
		all.seconds += calls->seconds[i];
	figures_head("all calls of these lists");
	scan_figure("the ten longest together", "20 s", all, 0, ALL_MOST);
}
