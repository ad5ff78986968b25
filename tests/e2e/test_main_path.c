/*
 * The main job, whole: an agent records a program, goes to its crash, and finds the write that
 * caused it, through the real server with real rr and gdb; as ourselves, as another user, and as
 * two sessions at once.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PROGRAM	    "list_corruption"
#define BROKEN_LINK "sessions[3].next"
#define CULPRIT	    "last_seen[place] ="
#define NOBODY	    65534

START_TEST(recording_a_crash_tells_signal_output_and_place)
{
	cleanup_client struct client *client = client_start(NULL);
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "t");
	expect_all(client_record(client, trace, PROGRAM, NULL), IS("signal", "SIGSEGV"),
	    IS("trace_dir", trace), HAS("stdout", "checksum"), FALSE("truncated"));
	struct stat status;
	ck_assert_int_eq(stat(trace, &status), 0);
	ck_assert_int_eq(status.st_mode & 0777, 0700);
}
END_TEST

static void run_to_crash(struct client *client, const char *session)
{
	expect_all(client_tool(client, "rr_continue", "{s:s}", "session", session),
	    IS("reason", "signal"), IS("signal", "SIGSEGV"), IS("frame.function", "report_total"));
}

/* From the crash back to the last write of the broken link. */
static void find_culprit(struct client *client, const char *session)
{
	client_tool_done(client, "rr_watchpoint_set", "{s:s, s:s}", "expression", BROKEN_LINK,
	    "session", session);
	json_t *stop;
	do {
		stop = client_tool(
		    client, "rr_continue", "{s:b, s:s}", "reverse", 1, "session", session);
	} while (strcmp(answer_text(stop, "reason"), "signal") == 0);
	expect_text(stop, "reason", "watchpoint");
	expect_text(stop, "frame.function", "session_touch");
	expect_line(stop, "frame", harness_line(PROGRAM, CULPRIT));
	json_decref(stop);
}

START_TEST(the_write_behind_a_crash_is_found_backward)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	run_to_crash(scene.client, scene.session);
	find_culprit(scene.client, scene.session);

	expect_all(client_tool(scene.client, "rr_backtrace", NULL),
	    IS("frames.0.function", "session_touch"), IS("frames.1.function", "receive_message"),
	    IS("frames.2.function", "main"));

	json_auto_t *value =
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "place");
	expect_text(value, "value", "3");
	ck_assert_ptr_null(answer_at(value, "results")); /* the same once more */
}
END_TEST

START_TEST(one_call_reports_the_crash)
{
	cleanup_client struct client *client = client_start(NULL);
	expect_all(
	    client_tool(client, "rr_crash_report", "{s:s}", "trace_dir", scene_trace(PROGRAM)),
	    IS("signal", "SIGSEGV"), IS("frames.0.function", "report_total"), PRESENT("moment"));

	/* The session it opened stands at the crash: what was wrong there can be asked for next. */
	expect_answer(client_tool(client, "rr_last_change", "{s:s}", "expression", BROKEN_LINK),
	    "frame.function", "session_touch");
}
END_TEST

START_TEST(one_call_finds_the_last_change)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	run_to_crash(scene.client, scene.session);
	json_auto_t *change =
	    client_tool(scene.client, "rr_last_change", "{s:s}", "expression", BROKEN_LINK);
	expect_text(change, "frame.function", "session_touch");
	expect_line(change, "frame", harness_line(PROGRAM, CULPRIT));
	ck_assert_str_ne(answer_text(change, "old"), answer_text(change, "new"));

	/* It restored position and breakpoints. */
	expect_answer(
	    client_tool(scene.client, "rr_backtrace", NULL), "frames.0.function", "report_total");
	expect_all(client_tool(scene.client, "rr_breakpoint_list", NULL), COUNT("breakpoints", 0));
}
END_TEST

START_TEST(two_sessions_know_nothing_of_each_other)
{
	cleanup_client struct client *client = client_start(NULL);
	cleanup_free char *one = client_replay(client, scene_trace(PROGRAM));
	cleanup_free char *two = client_replay(client, scene_trace(PROGRAM));
	ck_assert_str_ne(one, two);
	run_to_crash(client, one);
	client_tool_done(
	    client, "rr_breakpoint_set", "{s:s, s:s}", "location", "session_open", "session", two);
	expect_answer(client_tool(client, "rr_continue", "{s:s}", "session", two), "frame.function",
	    "session_open");
	find_culprit(client, one);
	expect_all(client_tool(client, "rr_breakpoint_list", "{s:s}", "session", two),
	    COUNT("breakpoints", 1));
}
END_TEST

START_TEST(a_long_command_in_one_session_delays_no_other)
{
	cleanup_client struct client *client = client_start(NULL);
	cleanup_free char *slow = client_replay(client, scene_trace(PROGRAM));
	cleanup_free char *quick = client_replay(client, scene_trace(PROGRAM));
	long long running = client_tool_send(client, "rr_step",
	    json_pack("{s:i, s:s, s:s}", "count", 1000000, "unit", "instruction", "session", slow));
	client_tool_done(
	    client, "rr_evaluate", "{s:s, s:s}", "expression", "1+1", "session", quick);
	client_tool_done(client, "rr_backtrace", "{s:s}", "session", quick);
	ck_assert_ptr_null(client_wait(client, running, 0));
}
END_TEST

/* Copies the built server and a program to where any user may go, because a clone may lie in a
 * home. */
static void copy_for_others(const char *folder)
{
	cleanup_free char *program = harness_program(PROGRAM);
	setenv("FOLDER", folder, 1);
	setenv("PROGRAM", program, 1);
	ck_assert_int_eq(
	    system("cd \"$(dirname \"$RR_WARDEN\")/..\" && "
		   "tar -cf - bin libexec | tar -xf - --no-same-owner -C \"$FOLDER\" && "
		   "cp \"$PROGRAM\" \"$FOLDER/program\" && chmod -R go+rX \"$FOLDER\""),
	    0);
}

START_TEST(an_ordinary_user_does_the_main_job)
{
	if (getuid() != 0)
		return; /* then all other tests have done so */
	cleanup_scratch char *folder = harness_scratch(NOBODY);
	copy_for_others(folder);
	cleanup_free char *server = harness_path(folder, "bin/rr-warden");
	cleanup_free char *program = harness_path(folder, "program"),
			  *trace = harness_path(folder, "trace");
	struct client *client =
	    client_start(&(struct client_options){.server = server, .uid = NOBODY, .home = folder});
	client_tool_done(
	    client, "rr_record", "{s:[s], s:s}", "command", program, "trace_dir", trace);
	struct stat status;
	ck_assert_int_eq(stat(trace, &status), 0);
	ck_assert_uint_eq(status.st_uid, NOBODY);
	cleanup_free char *session = client_replay(client, trace);
	run_to_crash(client, session);
	find_culprit(client, session);
	client_end(client);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {recording_a_crash_tells_signal_output_and_place,
	    the_write_behind_a_crash_is_found_backward, one_call_reports_the_crash,
	    one_call_finds_the_last_change, two_sessions_know_nothing_of_each_other,
	    a_long_command_in_one_session_delays_no_other, an_ordinary_user_does_the_main_job,
	    NULL};
	return scene_main("the main path", tests, (const char *const[]){PROGRAM, NULL});
}
