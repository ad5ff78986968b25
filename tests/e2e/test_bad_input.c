/*
 * Bad input gets a clear error with a hint, and afterwards the session answers as before.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PROGRAM "many_watch"

static void expect_message(const json_t *failed, const char *part)
{
	cleanup_free char *text = answer_show(failed);
	if (strstr(text, part) == NULL)
		harness_fail("no \"%s\" in %s", part, text);
}

static void expect_unharmed(struct scene *scene)
{
	expect_all(client_tool(scene->client, "rr_evaluate", "{s:s}", "expression", "1+1"),
	    IS("value", "2"), FALSE("restored"));
}

/* ---- Arguments ----------------------------------------------------------------------------- */

START_TEST(an_unknown_tool_is_a_protocol_error)
{
	cleanup_client struct client *client = client_start(NULL);
	long long id = client_tool_send(client, "rr_continu", NULL);
	json_auto_t *answer = client_wait(client, id, HARNESS_TIMEOUT_S);
	expect_number(answer, "error.code", -32602);
	expect_message(answer, "rr_continue");
}
END_TEST

static const struct {
	const char *tool, *args, *says;
} wrong_arguments[] = {
    {"rr_evaluate", "{\"expresion\": \"1\"}", "expression"},
    {"rr_continue", "{\"reverse\": \"perhaps\"}", "reverse"},
    {"rr_continue", "{\"count\": 0}", "count"},
    {"rr_continue", "{\"count\": 1.5}", "count"},
    {"rr_continue", "{\"count\": \"many\"}", "count"},
    {"rr_breakpoint_set", "{}", "location"},
    {"rr_breakpoint_set", "{\"location\": {}}", "location"},
    {"rr_breakpoint_set", "{\"location\": [\"main\"]}", "location"},
    {"rr_step", "{\"unit\": \"inch\"}", "unit"},
    {"rr_evaluate", "{\"expression\": \"1\", \"session\": \"nobody\"}", "nobody"},
    {"rr_breakpoint_set", "{\"location\": \"main\\nshell id\"}", ""},
    {"rr_evaluate", "{\"expression\": \"1\\nshell id\"}", ""},
    {"rr_breakpoint_set", "{\"location\": \"*0x10\"}", "mapped"},
    {"rr_breakpoint_remove", "{\"breakpoint_number\": 99}", "99"},
    {"rr_checkpoint_restore", "{\"checkpoint_id\": 99}", "99"},
    {"rr_thread_select", "{\"thread_id\": \"99\"}", "99"},
    {"rr_select_frame", "{\"frame_level\": 999}", "999"},
    {"rr_goto", "{\"moment\": \"yesterday\"}", "yesterday"},
    {"rr_run_to_event", "{\"event_number\": 999999999}", "999999999"},
    {"rr_registers", "{\"register_names\": [\"nosuch\"]}", "nosuch"},
    {"rr_source_lines", "{\"file\": \"nosuch.c\", \"line\": 1}", "nosuch.c"},
    {"rr_read_memory", "{\"address\": \"0\"}", ""},
    {"rr_read_memory", "{\"address\": \"main +\"}", ""},
    {"rr_watchpoint_set", "{\"expression\": \"no_such_variable\"}", "no_such_variable"},
    {"rr_breakpoint_set", "{\"location\": \"set_lat\"}", "set_late"},
    {"rr_breakpoint_set", "{\"location\": \"main\", \"condition\": \"(\"}", ""},
    {"rr_finish", "{\"function\": \"nosuch\"}", "nosuch"},
    {"rr_gdb_command", "{\"command\": \"info registers\"}", ""},
    {"rr_evaluate", "{\"expression\": \"set_late()\"}", ""},
    {"rr_evaluate", "{\"expression\": \"counter = 5\"}", ""},
};
#define WRONG_COUNT TIMES(wrong_arguments)

START_TEST(wrong_arguments_get_an_error_that_says_which_and_cost_nothing)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "set_late");
	for (int i = 0; i < WRONG_COUNT; i++) {
		fprintf(stderr, "%s %s\n", wrong_arguments[i].tool, wrong_arguments[i].args);
		json_t *args = json_loads(wrong_arguments[i].args, 0, NULL);
		long long id = client_tool_send(scene.client, wrong_arguments[i].tool, args);
		json_auto_t *failed =
		    client_tool_failure(scene.client, id, NULL, HARNESS_TIMEOUT_S);
		expect_message(failed, wrong_arguments[i].says);
		expect_unharmed(&scene);
	}
	expect_answer(
	    client_tool(scene.client, "rr_backtrace", NULL), "frames.0.function", "set_late");
}
END_TEST

/* gdb says that it runs, and then that it cannot. We must not wait for a stop. */
START_TEST(a_breakpoint_where_nothing_is_mapped_is_named_and_costs_nothing)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "toggle");
	json_auto_t *address =
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "(long)&printf");
	cleanup_free char *location = NULL;
	if (asprintf(&location, "*%s", answer_text(address, "value")) < 0)
		harness_fail("out of memory");
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", location);
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	long long id = client_tool_send(scene.client, "rr_continue", NULL);
	json_auto_t *failed = client_tool_failure(scene.client, id, "invalid_argument", 60);
	expect_message(failed, "breakpoint 2 prevents"); /* the first was scene_run_to's */
	expect_unharmed(&scene);
	client_tool_done(scene.client, "rr_breakpoint_remove", "{s:i}", "breakpoint_number", 2);
	scene_run_to(&scene, "toggle");
}
END_TEST

START_TEST(numbers_and_booleans_are_accepted_as_strings)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "toggle");
	client_tool_done(scene.client, "rr_continue", "{s:s}", "count", "3");
	expect_answer(
	    client_tool(scene.client, "rr_continue", "{s:s, s:s}", "count", "2", "reverse", "true"),
	    "frame.function", "toggle");
}
END_TEST

START_TEST(without_a_session_the_hint_says_how_to_get_one)
{
	cleanup_client struct client *client = client_start(NULL);
	json_auto_t *failed = client_tool_fails(client, "rr_continue", "no_session", NULL);
	expect_message(failed, "rr_replay_start");
}
END_TEST

/* ---- Traces -------------------------------------------------------------------------------- */

static void expect_no_replay(struct client *client, const char *trace, const char *says)
{
	json_auto_t *failed =
	    client_tool_fails(client, "rr_replay_start", NULL, "{s:s}", "trace_dir", trace);
	ck_assert_str_ne(answer_text(failed, "code"), "internal");
	ck_assert_str_ne(answer_text(failed, "hint"), "");
	expect_message(failed, says);
}

START_TEST(a_trace_that_is_not_there_or_is_none_is_said_so)
{
	cleanup_client struct client *client = client_start(NULL);
	expect_no_replay(client, "/no/such/trace", "/no/such/trace");
	expect_no_replay(client, "/usr", "/usr");
	expect_no_replay(client, "/etc/passwd", "/etc/passwd");
}
END_TEST

static void copy_trace(const char *program, const char *to)
{
	char command[2048];
	snprintf(command, sizeof(command), "cp -a '%s' '%s'", scene_trace(program), to);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(a_damaged_trace_is_refused_or_fails_but_never_hangs)
{
	static const struct {
		const char *name, *damage;
	} damages[] = {
	    {"incomplete", "touch incomplete && rm -f version"},
	    {"no version", "rm version"},
	    {"other version", "echo 9999 > version"},
	    {"no events", ": > events"},
	    {"cut events", "truncate -s 100 events"},
	    {"garbage events", "head -c 4096 /dev/urandom > events"},
	    {"no data", "rm -f data*"},
	    {"garbage tasks", "head -c 4096 /dev/urandom > tasks"},
	};
	cleanup_client struct client *client = client_start(NULL);
	cleanup_scratch char *folder = harness_scratch(0);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		cleanup_free char *trace = harness_path(folder, damages[i].name);
		char command[1024];
		fprintf(stderr, "%s\n", damages[i].name);
		copy_trace(PROGRAM, trace);
		snprintf(command, sizeof(command), "cd '%s' && chmod u+w * && %s", trace,
		    damages[i].damage);
		ck_assert_int_eq(system(command), 0);
		long long id = client_tool_send(
		    client, "rr_replay_start", json_pack("{s:s}", "trace_dir", trace));
		json_auto_t *failed = client_tool_failure(client, id, NULL, HARNESS_TIMEOUT_S);
		ck_assert_str_ne(answer_text(failed, "message"), "");
	}
	free(client_replay(client, scene_trace(PROGRAM)));
}
END_TEST

START_TEST(a_pid_that_is_not_in_the_trace_names_those_that_are)
{
	cleanup_client struct client *client = client_start(NULL);
	json_auto_t *failed = client_tool_fails(client, "rr_replay_start", NULL, "{s:s, s:i}",
	    "trace_dir", scene_trace(PROGRAM), "pid", 1);
	ck_assert_str_ne(answer_text(failed, "hint"), "");
}
END_TEST

START_TEST(rr_rm_removes_traces_only_and_follows_no_link)
{
	cleanup_client struct client *client = client_start(NULL);
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *kept = harness_path(folder, "kept");
	cleanup_free char *link = harness_path(folder, "link"),
			  *plain = harness_path(folder, "plain");
	copy_trace(PROGRAM, kept);
	ck_assert_int_eq(symlink(kept, link), 0);
	ck_assert_int_eq(mkdir(plain, 0700), 0);
	cleanup_free char *file = harness_path(plain, "precious");
	harness_write_file(file, "precious");
	client_tool_refused(client, "rr_rm", NULL, "{s:s}", "trace_dir", link);
	client_tool_refused(client, "rr_rm", NULL, "{s:s}", "trace_dir", plain);
	client_tool_refused(client, "rr_rm", NULL, "{s:s}", "trace_dir", "/");
	client_tool_done(client, "rr_ps", "{s:s}", "trace_dir", kept);
	ck_assert_int_eq(access(file, F_OK), 0);
}
END_TEST

/* ---- Programs ------------------------------------------------------------------------------ */

START_TEST(a_binary_without_symbols_still_replays)
{
	cleanup_client struct client *client = client_start(NULL);
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *stripped = harness_path(folder, "stripped");
	cleanup_free char *program = harness_program(PROGRAM), *trace = harness_path(folder, "t");
	char command[2048];
	snprintf(command, sizeof(command), "strip -o '%s' '%s'", stripped, program);
	ck_assert_int_eq(system(command), 0);
	client_tool_done(
	    client, "rr_record", "{s:[s], s:s}", "command", stripped, "trace_dir", trace);
	free(client_replay(client, trace));
	client_tool_done(client, "rr_step", "{s:s}", "unit", "instruction");
	/* It could be in a library; but none that the program loads has it. */
	client_tool_refused(client, "rr_breakpoint_set", NULL, "{s:s}", "location", "set_late");
	client_tool_done(client, "rr_registers", NULL);
	client_tool_done(client, "rr_continue", NULL);
	client_tool_refused(client, "rr_breakpoint_set", NULL, "{s:s}", "location", "set_late");
}
END_TEST

START_TEST(garbage_on_stdin_is_answered_and_does_not_end_the_server)
{
	cleanup_client struct client *client = client_start(NULL);
	static const char garbage[] = "{\n[]\nnull\n{\"jsonrpc\":\"2.0\"}\n\xff\xfe\n\n";
	client_send_bytes(client, garbage, sizeof(garbage) - 1);
	json_auto_t *list = client_wait(client, client_send(client, "tools/list", NULL), 30);
	ck_assert_uint_ge(answer_count(list, "result.tools"), 28);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {an_unknown_tool_is_a_protocol_error,
	    wrong_arguments_get_an_error_that_says_which_and_cost_nothing,
	    a_breakpoint_where_nothing_is_mapped_is_named_and_costs_nothing,
	    numbers_and_booleans_are_accepted_as_strings,
	    without_a_session_the_hint_says_how_to_get_one,
	    a_trace_that_is_not_there_or_is_none_is_said_so,
	    a_damaged_trace_is_refused_or_fails_but_never_hangs,
	    a_pid_that_is_not_in_the_trace_names_those_that_are,
	    rr_rm_removes_traces_only_and_follows_no_link, a_binary_without_symbols_still_replays,
	    garbage_on_stdin_is_answered_and_does_not_end_the_server, NULL};
	return scene_main("bad input", tests, (const char *const[]){PROGRAM, NULL});
}
