/*
 * A call that does not end by itself is cancelled, so that the next one can be measured.
 */
#include "tests/bench/scan_ask.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/bench/figures.h"

#define DEADLINE_S 60 /* then it is cut off, which is a figure too */
#define WAIT_S	   (DEADLINE_S + 30)

json_t *scan_arguments(const char *text)
{
	char *copy = strdup(text);
	json_t *arguments;

	for (char *at = copy; at && *at; at++)
		if (*at == '\'')
			*at = '"';
	arguments = copy ? json_loads(copy, 0, NULL) : NULL;
	if (!arguments)
		harness_fail("no arguments: %s", text);
	free(copy);
	return arguments;
}

static bool has_deadline(const char *tool)
{
	static const char *const without[] = {
	    "rr_replay_start", "rr_backtrace", "rr_evaluate", "rr_breakpoint_set", "rr_locals"};

	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		if (strcmp(tool, without[i]) == 0)
			return false;
	return true;
}

struct asked scan_ask(struct client *client, const char *tool, json_t *arguments, json_t **answer)
{
	struct asked asked = {.code = "no answer"};
	const char *code;
	json_t *message;
	long long id;

	if (has_deadline(tool))
		json_object_set_new(arguments, "deadline", json_integer(DEADLINE_S));
	asked.seconds = harness_now();
	id = client_tool_send(client, tool, arguments);
	message = client_wait(client, id, WAIT_S);
	asked.seconds = harness_now() - asked.seconds;
	if (answer)
		*answer = json_incref(message);
	if (!message) {
		client_cancel(client, id);
		return asked;
	}
	asked.cut = answer_at(message, "result.structuredContent.cut_off") != NULL;
	code = json_string_value(answer_at(message, "result.structuredContent.code"));
	snprintf(asked.code, sizeof(asked.code), "%s", code ? code : "");
	json_decref(message);
	return asked;
}

void scan_figure(
    const char *what, const char *most, struct asked asked, double replay, double limit)
{
	char outcome[32] = "holds", beside[32] = "";

	if (replay > 0)
		snprintf(beside, sizeof(beside), " / %.2f s", replay);
	if (asked.code[0])
		snprintf(outcome, sizeof(outcome), "%s", asked.code);
	else if (asked.cut)
		snprintf(outcome, sizeof(outcome), "cut off");
	else if (asked.seconds > limit)
		snprintf(outcome, sizeof(outcome), "misses by %.1f s", asked.seconds - limit);
	figure(what, most, "%.2f s%s: %s", asked.seconds, beside, outcome);
}
