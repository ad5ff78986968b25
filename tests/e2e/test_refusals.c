/*
 * What gdb refuses in the midst of a question is no answer: not "none", "0", "not found" or "the
 * end". Either the answer says what it is without, or the call fails with gdb's words.
 */
#include <stdio.h>
#include <stdlib.h>
#include "tests/doubles/gdb.h"
#include "tests/e2e/scene.h"

#define PROGRAM "stories"

/* The real gdb, but for the commands that `refuse` names. The sandbox would not let the double
 * start it. */
static struct client *start(char *folder)
{
	cleanup_free char *gdb = harness_path(folder, GDB_REFUSES);
	cleanup_free char *real = harness_program("../doubles/gdb");
	char flag[512];

	harness_shell("cp '%s' '%s'", real, gdb);
	snprintf(flag, sizeof(flag), "--gdb=%s", gdb);
	return client_start(&(struct client_options){
	    .args = (const char *const[]){flag, "--sandbox-seccomp=off", NULL}});
}

static void refuse(struct client *client, const char *text)
{
	char expression[300];

	snprintf(expression, sizeof(expression), "sizeof(\"" GDB_SIGN "%s\")", text);
	client_tool_done(client, "rr_evaluate", "{s:s}", "expression", expression);
}

/* Of the answer, which may be a failure: what gdb's words stand in. */
static const char *words_of(const json_t *answer)
{
	const json_t *warnings = json_object_get(answer, "warnings");
	const char *text = json_string_value(json_array_get(warnings, 0));

	return text ? text : json_string_value(json_object_get(answer, "message"));
}

/* A thread_id is that of the stop. */
static json_t *call(
    struct client *client, const char *tool, const char *arguments, const json_t *stop)
{
	json_t *given = json_loads(arguments, 0, NULL);

	if (json_object_get(given, "thread_id"))
		json_object_set(given, "thread_id", json_object_get(stop, "tid"));
	json_auto_t *answer =
	    client_wait(client, client_tool_send(client, tool, given), HARNESS_TIMEOUT_S);
	json_t *content = json_incref(answer_at(answer, "result.structuredContent"));

	if (!content) {
		cleanup_free char *shown = answer_show(answer);
		ck_abort_msg("%s: %s", tool, shown);
	}
	return content;
}

/* Each in `count_to`, called by `work` in a thread; `says` stands in a warning or the failure. */
static const struct {
	const char *refused, *tool, *arguments, *says;
} cases[] = {
    {"-stack-list-arguments", "rr_backtrace", "{}", "the arguments of frames were not read"},
    {"-stack-list-frames", "rr_backtrace", "{\"start\": 1}",
	"the frames further out were not read"},
    {"-stack-list-variables", "rr_backtrace", "{\"full\": true}", "variables of a frame"},
    {"-stack-info-frame", "rr_step", "{}", GDB_NO},
    {"info auxv", "rr_step", "{\"reverse\": true}", GDB_NO},
    {"-stack-info-frame", "rr_select_frame", "{\"frame_level\": 1}", GDB_NO},
    {"-thread-select", "rr_thread_select", "{\"thread_id\": 0}", "it refused -thread-select"},
    {"rr_check_all('", "rr_evaluate", "{\"expression\": \"total\"}", "may be meant"},
    {"-break-list", "rr_lines_executed", "{\"location\": \"book\"}", "it refused -break-list"},
    {"-break-list", "rr_when_became", "{\"predicate\": \"total == 1000\"}",
	"it refused -break-list"},
    {"whatis total", "rr_race_scan", "{\"expression\": \"total\"}", "an atomic one"},
    {"info proc mappings", "rr_race_scan", "{\"expression\": \"total\"}", "what is mapped"},
    {"(&(total) + 1)", "rr_value_history", "{\"expression\": \"total\"}",
	"does not say where that lies"},
    {"rr_the_hits.take", "rr_value_history", "{\"expression\": \"total\"}", "it refused"},
    {"info frame level", "rr_origin_of", "{\"expression\": \"$rbx\"}", "an outer frame was saved"},
};

/* Each session goes on after that, with a gdb that refuses nothing. */
START_TEST(what_gdb_refuses_is_told)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_client struct client *client = start(folder);
	bool fine = true;

	client_tool_done(client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM));
	client_tool_done(client, "rr_breakpoint_set", "{s:s}", "location", "count_to");
	json_auto_t *stop = client_tool(client, "rr_continue", NULL);
	for (size_t i = 0; i < TIMES(cases); i++) {
		const bool outer = strcmp(cases[i].tool, "rr_origin_of") == 0;

		if (outer)
			client_tool_done(client, "rr_select_frame", "{s:i}", "frame_level", 1);
		refuse(client, cases[i].refused);
		json_auto_t *answer = call(client, cases[i].tool, cases[i].arguments, stop);
		const char *words = words_of(answer);
		if (!words || !strstr(words, cases[i].says)) {
			cleanup_free char *shown = answer_show(answer);
			fprintf(stderr, "%s without \"%s\": no \"%s\" in %.600s\n", cases[i].tool,
			    cases[i].refused, cases[i].says, shown);
			fine = false;
		}
		refuse(client, "");
		client_tool_done(client, "rr_goto", "{s:s}", "moment", answer_text(stop, "moment"));
	}
	ck_assert(fine);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {what_gdb_refuses_is_told, NULL};

	return scene_main("refusals", tests, (const char *const[]){PROGRAM, NULL});
}
