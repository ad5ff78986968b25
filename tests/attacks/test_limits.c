/*
 * Limits that an administrator sets: for each setting on the real server, what it refuses or ends,
 * what the error says, and that everything within the limit works.
 * tests/unit/supervisor/test_settings.c tests that nobody exceeds the administrator's file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PROGRAM	 "exit_code"
#define WORKER	 "rr-warden-worke" /* as comm cuts it */
#define FLAG_MAX 4096

/* The recorded programs may lie in a home, which a server with roots hides from replays. */
static const char *show_programs(void)
{
	static char flag[FLAG_MAX];
	cleanup_free char *program = harness_program(PROGRAM);

	snprintf(flag, sizeof(flag), "--source-dir=%.*s", (int)(strrchr(program, '/') - program),
	    program);
	return flag;
}

/* A server with one or two flags; the flag's value may name a folder. */
static struct client *limited(const char *first, const char *second)
{
	const char *args[] = {first, second, NULL};

	return client_start(&(struct client_options){.args = args});
}

static void expect_says(json_t *answer, const char *path, const char *part)
{
	cleanup_free char *shown = answer_show(answer);

	ck_assert_msg(
	    strstr(answer_text(answer, path), part) != NULL, "no \"%s\" in %s", part, shown);
	json_decref(answer);
}

static json_t *record(struct client *client, const char *trace, const char *argument)
{
	cleanup_free char *program = harness_program("balloon");
	json_t *args =
	    json_pack("{s:[s], s:s, s:i}", "command", program, "trace_dir", trace, "timeout", 60);

	if (argument != NULL)
		json_array_append_new(json_object_get(args, "command"), json_string(argument));
	json_t *result =
	    client_tool_result(client, client_tool_send(client, "rr_record", args), 150);
	return result;
}

/* ---- What may be opened and recorded --------------------------------------------------------- */

START_TEST(only_traces_below_the_roots_are_opened)
{
	static const char *const tools[] = {
	    "rr_replay_start", "rr_traceinfo", "rr_ps", "rr_pack", "rr_rm"};
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *inside = harness_path(folder, "t");
	char root[FLAG_MAX];

	snprintf(root, sizeof(root), "cp -a '%s' '%s'", scene_trace(PROGRAM), inside);
	ck_assert_int_eq(system(root), 0);
	snprintf(root, sizeof(root), "--trace-root=%s", folder);
	cleanup_client struct client *client = limited(root, show_programs());
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		client_tool_refused(
		    client, tools[i], "not_allowed", "{s:s}", "trace_dir", scene_trace(PROGRAM));
	client_tool_done(client, "rr_traceinfo", "{s:s}", "trace_dir", inside);
	free(client_replay(client, inside));
	client_tool_refused(client, "rr_record", "not_allowed", "{s:[s], s:s}", "command",
	    "/bin/true", "trace_dir", "/tmp/rr-warden-test-outside");
}
END_TEST

START_TEST(a_server_that_lies_where_everything_is_hidden_works_within_its_roots)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *traces = harness_path(folder, "traces");
	cleanup_free char *trace = harness_path(traces, "t");
	cleanup_free char *server = harness_path(folder, "bin/rr-warden");
	char text[FLAG_MAX];

	snprintf(text, sizeof(text),
	    "mkdir '%s' && cp -a '%s' '%s' && cd \"$(dirname '%s')/..\" && "
	    "cp -a bin libexec '%s'",
	    traces, scene_trace(PROGRAM), trace, harness_server(), folder);
	ck_assert_int_eq(system(text), 0);
	snprintf(text, sizeof(text), "--trace-root=%s", traces);
	const char *args[] = {text, show_programs(), NULL};
	struct client *client =
	    client_start(&(struct client_options){.server = server, .args = args});
	free(client_replay(client, trace));
	client_end(client);
}
END_TEST

START_TEST(recording_can_be_switched_off)
{
	cleanup_client struct client *client = limited("--record=no", NULL);

	client_tool_refused(client, "rr_record", "not_allowed", "{s:[s]}", "command", "/bin/true");
	client_tool_refused(
	    client, "rr_record_until", "not_allowed", "{s:[s]}", "command", "/bin/true");
	free(client_replay(client, scene_trace(PROGRAM)));
}
END_TEST

START_TEST(only_named_programs_are_recorded)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "t");
	cleanup_client struct client *client = limited("--record-command=*/balloon", NULL);

	client_tool_refused(client, "rr_record", "not_allowed", "{s:[s]}", "command", "/bin/true");
	json_decref(record(client, trace, NULL));
}
END_TEST

START_TEST(only_in_named_directories_is_recorded)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "t");
	char flag[FLAG_MAX];

	snprintf(flag, sizeof(flag), "--record-directory=%s", folder);
	cleanup_client struct client *client = limited(flag, NULL);
	client_tool_refused(client, "rr_record", "not_allowed", "{s:[s], s:s}", "command",
	    "/bin/true", "working_directory", "/usr");
	client_tool_done(client, "rr_record", "{s:[s], s:s, s:s}", "command", "/bin/true",
	    "working_directory", folder, "trace_dir", trace);
}
END_TEST

/* ---- What a session may do ------------------------------------------------------------------- */

START_TEST(calls_and_raw_commands_are_off_until_they_are_allowed)
{
	for (int allowed = 0; allowed < 2; allowed++) {
		cleanup_client struct client *client = limited(
		    allowed ? "--allow-calls" : NULL, allowed ? "--allow-gdb-commands" : NULL);
		free(client_replay(client, scene_trace(PROGRAM)));
		client_tool_done(client, "rr_continue", "{s:s}", "until", "main");
		json_t *call =
		    json_pack("{s:s, s:b}", "expression", "(int)getpid() > 0", "allow_calls", 1);
		json_t *command = json_pack("{s:s}", "command", "info frame");
		long long ids[] = {client_tool_send(client, "rr_evaluate", call),
		    client_tool_send(client, "rr_gdb_command", command)};
		for (size_t i = 0; i < 2; i++)
			json_decref(allowed
					? client_tool_result(client, ids[i], 60)
					: client_tool_failure(client, ids[i], "not_allowed", 60));
	}
}
END_TEST

START_TEST(no_more_sessions_than_granted)
{
	cleanup_client struct client *client = limited("--sessions=1", NULL);
	cleanup_free char *session = client_replay(client, scene_trace(PROGRAM));

	/* An idle one is closed for another. */
	json_auto_t *second =
	    client_tool(client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM));
	expect_text(second, "closed_session", session);
	client_tool_refused(client, "rr_evaluate", "no_session", "{s:s,s:s}", "expression", "1",
	    "session", session);
	json_auto_t *open = client_tool(client, "rr_sessions", NULL);
	ck_assert_uint_eq(answer_count(open, "sessions"), 1);
	/* One that works is not: two at once do not both get the one place. */
	long long ids[2];
	for (size_t i = 0; i < 2; i++)
		ids[i] = client_tool_send(client, "rr_replay_start",
		    json_pack("{s:s}", "trace_dir", scene_trace(PROGRAM)));
	json_decref(client_tool_result(client, ids[0], 60));
	json_decref(client_tool_failure(client, ids[1], "limit", 60));
}
END_TEST

START_TEST(an_idle_sessions_processes_end_and_its_next_call_brings_them_back)
{
	cleanup_client struct client *client = limited("--idle=1", NULL);
	cleanup_free char *session = client_replay(client, scene_trace(PROGRAM));
	double end = harness_now() + HARNESS_TIMEOUT_S;

	while (census_find(client_pid(client), WORKER, 0) != 0 && harness_now() < end)
		usleep(20000);
	ck_assert_int_eq(census_find(client_pid(client), WORKER, 0), 0);
	expect_all(
	    client_tool(client, "rr_evaluate", "{s:s, s:s}", "expression", "1", "session", session),
	    TRUE("restored"));
}
END_TEST

/* ---- What it may use ------------------------------------------------------------------------- */

START_TEST(a_recorded_program_gets_no_more_memory_than_granted)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *free_trace = harness_path(folder, "free");
	cleanup_free char *bound_trace = harness_path(folder, "bound");
	struct client *client = limited(NULL, NULL);
	json_auto_t *result = record(client, free_trace, NULL);

	expect_number(result, "exit_code", 0);
	client_end(client);
	client = limited("--memory=2G", NULL);
	expect_all(record(client, bound_trace, NULL), NUMBER("exit_code", 3));
	client_end(client);
}
END_TEST

START_TEST(a_recorded_program_gets_no_more_processor_time_than_granted)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "t");
	cleanup_client struct client *client = limited("--cpu-time=1", NULL);
	json_t *args = json_pack("{s:[s,s], s:s}", "command", "", "spin", "trace_dir", trace);
	cleanup_free char *program = harness_program("balloon");

	/* rr or the program reaches the limit first; without it, the program would run for ever */
	json_array_set_new(json_object_get(args, "command"), 0, json_string(program));
	json_auto_t *answer =
	    client_wait(client, client_tool_send(client, "rr_record", args), HARNESS_TIMEOUT_S);
	const char *text = answer_text(answer, "result.content.0.text");
	ck_assert_msg(
	    strstr(text, "SIGXCPU") || strstr(text, "CPU time limit exceeded"), "%s", text);
}
END_TEST

START_TEST(a_recording_ends_when_its_trace_outgrows_what_is_granted)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "t");
	cleanup_client struct client *client = limited("--trace-size=1M", NULL);

	expect_says(record(client, trace, "read"), "ended_by", "trace_size");
}
END_TEST

/* One that fills the disk while it runs ends, too: see tests/e2e/test_disk.c. */
START_TEST(a_recording_is_not_begun_when_the_disk_is_too_full)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "t");
	cleanup_client struct client *client = limited("--free-disk=900T", NULL);

	json_t *refused = client_tool_fails(client, "rr_record", "limit", "{s:[s], s:s}", "command",
	    "/bin/true", "trace_dir", trace);
	expect_says(refused, "message", "--free-disk");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {only_traces_below_the_roots_are_opened,
	    a_server_that_lies_where_everything_is_hidden_works_within_its_roots,
	    recording_can_be_switched_off, only_named_programs_are_recorded,
	    only_in_named_directories_is_recorded,
	    calls_and_raw_commands_are_off_until_they_are_allowed, no_more_sessions_than_granted,
	    an_idle_sessions_processes_end_and_its_next_call_brings_them_back,
	    a_recorded_program_gets_no_more_memory_than_granted,
	    a_recorded_program_gets_no_more_processor_time_than_granted,
	    a_recording_ends_when_its_trace_outgrows_what_is_granted,
	    a_recording_is_not_begun_when_the_disk_is_too_full, NULL};

	return scene_main("limits", tests, (const char *const[]){PROGRAM, NULL});
}
