/*
 * Recordings of programs that misbehave: the program never touches the server's own stdin and
 * stdout, and the answer says, within bounds, what it printed, left behind or died of.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

START_TEST(the_exit_code_is_told)
{
	cleanup_place struct place place = place_open();
	expect_all(client_record(place.client, place.trace, "exit_code", "7"),
	    NUMBER("exit_code", 7), ABSENT("signal"));
}
END_TEST

START_TEST(stdin_is_empty_unless_given)
{
	cleanup_place struct place place = place_open();
	expect_answer_within(
	    client_record(place.client, place.trace, "stdin_echo", NULL), "stdout", "0 bytes");

	cleanup_free char *program = harness_program("stdin_echo"),
			  *second = harness_path(place.folder, "2");
	expect_answer_within(client_tool(place.client, "rr_record", "{s:[s], s:s, s:s}", "command",
				 program, "trace_dir", second, "stdin", "hello\n"),
	    "stdout", "HELLO\n6 bytes");
}
END_TEST

/* rr copies such a byte as it inserts a breakpoint. The replay has what the recording had. */
START_TEST(what_a_program_reads_byte_by_byte_is_what_was_sent)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = client_record(place.client, place.trace, "single_bytes", NULL);
	expect_within(recorded, "stdout", "1200 taken, 0 wrong");
	expect_number(recorded, "exit_code", 0);
	free(client_replay(place.client, place.trace));
	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", "end");
	expect_value(place.client, "taken", "1200");
	expect_value(place.client, "wrong", "0");
}
END_TEST

START_TEST(much_output_is_drained_and_cut_in_the_middle)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = client_record(place.client, place.trace, "output", "4096");
	expect_number(recorded, "exit_code", 0);
	ck_assert(answer_true(recorded, "truncated"));
	const char *text = answer_text(recorded, "stdout");
	ck_assert_int_eq(strncmp(text, "00000000....", 12), 0);
	ck_assert_ptr_nonnull(strstr(text, "\n00004095...."));
}
END_TEST

START_TEST(output_that_is_no_utf8_is_made_visible)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = client_tool(place.client, "rr_record", "{s:[s,s], s:s}", "command",
	    "/usr/bin/printf", "a\\377\\033[31mb\\n", "trace_dir", place.trace);
	const char *text = answer_text(recorded, "stdout");
	ck_assert_int_eq(text[0], 'a');
	ck_assert_ptr_null(strchr(text, '\033'));
}
END_TEST

START_TEST(a_daemon_left_behind_does_not_hold_the_answer_up)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = client_record(place.client, place.trace, "daemon_leftover", NULL);
	expect_within(recorded, "stdout", "daemon left behind");
	ck_assert(answer_at(recorded, "seconds") != NULL);
	ck_assert_int_eq(census_find(client_pid(place.client), "daemon_leftover", 0), 0);
}
END_TEST

START_TEST(a_program_that_never_ends_is_ended_at_its_timeout_and_its_trace_kept)
{
	cleanup_place struct place place = place_open();
	long long id = client_tool_send(place.client, "rr_record",
	    json_pack("{s:[s,s], s:s, s:i}", "command", "/bin/sleep", "3600", "trace_dir",
		place.trace, "timeout", 3));
	json_auto_t *answer = client_wait(place.client, id, HARNESS_TIMEOUT_S);
	ck_assert_ptr_nonnull(answer);
	ck_assert_int_eq(census_find(client_pid(place.client), "sleep", 0), 0);
	free(client_replay(place.client, place.trace));
}
END_TEST

/* With so little address space, rr 5.6 retries for ever, and there is no program to end. */
START_TEST(an_rr_that_never_starts_the_program_is_ended_at_the_startup_limit)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "trace");
	cleanup_client struct client *client = client_start(&(struct client_options){
	    .args = (const char *const[]){"--memory=40M", "--timeout-startup=2", NULL}});
	double start = harness_now();
	expect_all(client_tool_fails(client, "rr_record", "timeout", "{s:[s], s:s}", "command",
		       "/bin/true", "trace_dir", trace),
	    HAS("message", "did not start the program"), HAS("hint", "--memory"));
	ck_assert_double_lt(harness_now() - start, 30);
}
END_TEST

START_TEST(a_cancelled_recording_ends_its_program)
{
	cleanup_place struct place place = place_open();
	long long id = place_record_sleep(&place);
	client_cancel(place.client, id);
	double end = harness_now() + HARNESS_TIMEOUT_S;
	while (census_find(client_pid(place.client), "sleep", 0) != 0 && harness_now() < end)
		json_decref(client_message(place.client, 0.05));
	ck_assert_int_eq(census_find(client_pid(place.client), "sleep", 0), 0);
}
END_TEST

START_TEST(environment_and_folder_reach_the_program)
{
	cleanup_place struct place place = place_open();
	expect_answer_within(
	    client_tool(place.client, "rr_record", "{s:[s,s,s], s:s, s:s, s:{s:s}}", "command",
		"/bin/sh", "-c", "echo $GREETING; pwd", "trace_dir", place.trace,
		"working_directory", "/usr", "env", "GREETING", "hallo"),
	    "stdout", "hallo\n/usr\n");
}
END_TEST

START_TEST(an_existing_trace_dir_is_refused_and_left_alone)
{
	cleanup_place struct place place = place_open();
	json_decref(client_record(place.client, place.trace, "exit_code", NULL));
	cleanup_free char *program = harness_program("exit_code");
	expect_answer_within(client_tool_fails(place.client, "rr_record", NULL, "{s:[s], s:s}",
				 "command", program, "trace_dir", place.trace),
	    "message", place.trace);
	client_tool_done(place.client, "rr_ps", "{s:s}", "trace_dir", place.trace);
}
END_TEST

START_TEST(directories_that_are_missing_above_a_trace_are_made)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *deep = harness_path(place.folder, "results/today/trace");
	json_decref(client_record(place.client, deep, "exit_code", NULL));
	client_tool_done(place.client, "rr_ps", "{s:s}", "trace_dir", deep);
}
END_TEST

/* The first recording fails before rr is started, the second in rr, the others while the trace's
 * directory is made and named. */
START_TEST(a_recording_that_fails_leaves_no_directory_that_it_made)
{
	static const char *const args[] = {"--memory=40M", "--timeout-startup=2", NULL};
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *kept = harness_path(folder, "kept");
	cleanup_free char *deep = harness_path(kept, "new//one/and//trace");
	cleanup_free char *beside = harness_path(kept, "new/one/\nname");
	cleanup_client struct client *client = client_start(&(struct client_options){.args = args});
	char name[NAME_MAX + 2], *half;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_gt(asprintf(&half, "%s/new/%s/trace", kept, name), 0);
	ck_assert_int_eq(mkdir(kept, 0700), 0);
	client_tool_refused(client, "rr_record", NULL, "{s:[s], s:s, s:{s:s}}", "command",
	    "/bin/true", "trace_dir", deep, "env", "NOT=A=NAME", "x");
	client_tool_refused(client, "rr_record", "timeout", "{s:[s], s:s}", "command", "/bin/true",
	    "trace_dir", deep);
	client_tool_refused(
	    client, "rr_record", NULL, "{s:[s], s:s}", "command", "/bin/true", "trace_dir", beside);
	client_tool_refused(
	    client, "rr_record", NULL, "{s:[s], s:s}", "command", "/bin/true", "trace_dir", half);
	ck_assert_int_eq(rmdir(kept), 0); /* it is there and empty */
	free(half);
}
END_TEST

START_TEST(a_command_that_does_not_exist_or_may_not_run_is_said_so)
{
	cleanup_place struct place place = place_open();
	expect_answer_within(client_tool_fails(place.client, "rr_record", NULL, "{s:[s], s:s}",
				 "command", "/no/such/program", "trace_dir", place.trace),
	    "message", "/no/such/program");
	cleanup_free char *plain = harness_path(place.folder, "plain");
	harness_write_file(plain, "no program\n");
	client_tool_refused(place.client, "rr_record", NULL, "{s:[s], s:s}", "command", plain,
	    "trace_dir", place.trace);
	struct stat status;
	ck_assert_int_lt(stat(place.trace, &status), 0);
	json_decref(client_record(place.client, place.trace, "exit_code", NULL));
}
END_TEST

START_TEST(names_that_are_not_ascii_record_and_replay)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *crash = harness_program("crash"),
			  *folder = harness_path(place.folder, "Übung");
	cleanup_free char *program = harness_path(folder, "prögram-日本"),
			  *trace = harness_path(folder, "spür");
	char command[4096];
	snprintf(command, sizeof(command), "mkdir '%s' && cp '%s' '%s'", folder, crash, program);
	ck_assert_int_eq(system(command), 0);
	expect_answer(client_tool(place.client, "rr_record", "{s:[s], s:s}", "command", program,
			  "trace_dir", trace),
	    "trace_dir", trace);
	cleanup_free char *session = client_replay(place.client, trace);
	client_tool_done(place.client, "rr_breakpoint_set", "{s:s, s:s}", "location", "main",
	    "session", session);
	expect_answer(client_tool(place.client, "rr_continue", NULL), "reason", "breakpoint");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {the_exit_code_is_told, stdin_is_empty_unless_given,
	    what_a_program_reads_byte_by_byte_is_what_was_sent,
	    much_output_is_drained_and_cut_in_the_middle, output_that_is_no_utf8_is_made_visible,
	    a_daemon_left_behind_does_not_hold_the_answer_up,
	    a_program_that_never_ends_is_ended_at_its_timeout_and_its_trace_kept,
	    an_rr_that_never_starts_the_program_is_ended_at_the_startup_limit,
	    a_cancelled_recording_ends_its_program, environment_and_folder_reach_the_program,
	    an_existing_trace_dir_is_refused_and_left_alone,
	    names_that_are_not_ascii_record_and_replay,
	    directories_that_are_missing_above_a_trace_are_made,
	    a_recording_that_fails_leaves_no_directory_that_it_made,
	    a_command_that_does_not_exist_or_may_not_run_is_said_so, NULL};
	return scene_main("recording", tests, (const char *const[]){NULL});
}
