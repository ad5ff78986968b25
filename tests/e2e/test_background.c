/*
 * Recordings in the background: a program is started, used, and ended as its user would, and the
 * trace replays. Nothing here waits for a time: the tests wait for what the program prints.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "supervisor/session.h"
#include "tests/e2e/scene.h"
#include "tests/runner.h"

#define LOOKS_MAX 2000
#define LOOK_US	  20000

/* Starts a program of tests/programs in the background. */
static void start(struct client *client, const char *trace, const char *name, const char *argument)
{
	cleanup_free char *program = harness_program(name);
	json_auto_t *begun = client_tool(client, "rr_record", "{s:[s,s],s:s,s:b}", "command",
	    program, argument, "trace_dir", trace, "background", 1);

	expect_text(begun, "trace_dir", trace);
	expect_within(begun, "note", "rr_record_stop");
	ck_assert_ptr_null(answer_at(begun, "exit_code"));
}

/* Its output once it has printed `text`. */
static json_t *wait_for(struct client *client, const char *trace, const char *text)
{
	for (int i = 0; i < LOOKS_MAX; i++) {
		json_t *look = client_tool(client, "rr_record_input", "{s:s}", "trace_dir", trace);
		const char *printed = json_string_value(json_object_get(look, "stdout"));
		if (printed != NULL && strstr(printed, text) != NULL)
			return look;
		json_decref(look);
		usleep(LOOK_US);
	}
	harness_fail("the program never printed %s", text);
}

static void expect_replays(struct client *client, const char *trace, const char *output)
{
	json_t *stop = NULL;

	free(client_replay(client, trace));
	do {
		json_decref(stop);
		stop = client_tool(client, "rr_continue", NULL);
	} while (strcmp(answer_text(stop, "reason"), "signal") == 0);
	expect_text(stop, "reason", "end");
	expect_within(stop, "output", output);
	json_decref(stop);
}

START_TEST(a_program_reads_what_it_is_given_and_ends_with_its_input)
{
	cleanup_place struct place place = place_open();
	start(place.client, place.trace, "background", "echo");
	json_decref(client_tool(place.client, "rr_record_input", "{s:s}", "text", "one\n"));
	json_decref(wait_for(place.client, place.trace, "read one"));
	json_decref(
	    client_tool(place.client, "rr_record_input", "{s:s,s:b}", "text", "two\n", "eof", 1));
	for (int i = 0; i < LOOKS_MAX; i++) {
		json_auto_t *status = client_tool(place.client, "rr_status", NULL);
		if (json_is_true(answer_at(status, "recordings.0.ended")))
			break;
	}
	json_auto_t *ended =
	    client_tool(place.client, "rr_record_stop", "{s:s}", "trace_dir", place.trace);
	expect_number(ended, "exit_code", 2);
	expect_text(ended, "stdout", "read one\nread two\n2 lines\n");
	expect_replays(place.client, place.trace, "2 lines");
}
END_TEST

START_TEST(a_signal_ends_it_as_its_user_would)
{
	cleanup_place struct place place = place_open();
	start(place.client, place.trace, "background", "serve");
	json_decref(wait_for(place.client, place.trace, "port"));
	json_auto_t *ended =
	    client_tool(place.client, "rr_record_stop", "{s:s}", "signal", "SIGINT");
	expect_number(ended, "exit_code", 0);
	expect_within(ended, "stdout", "ended by signal 2");
	expect_text(ended, "ended_by", "interrupt");
	expect_within(ended, "note", "asked to end with SIGINT: it exited with status 0");
	expect_replays(place.client, place.trace, "ended by signal 2");
	client_tool_refused(place.client, "rr_record_stop", "not_found", NULL);
}
END_TEST

/* The first moments too: a signal must not meet rr's child that is not yet the program. */
START_TEST(it_can_be_ended_at_once)
{
	cleanup_place struct place place = place_open();
	start(place.client, place.trace, "background", "echo");
	json_auto_t *ended = client_tool(place.client, "rr_record_stop", NULL);
	expect_text(ended, "signal", "SIGTERM");
	expect_within(ended, "note", "asked to end with SIGTERM: SIGTERM ended it");
	free(client_replay(place.client, place.trace));
}
END_TEST

/* A process that lets another one run for 10 ms of processor time in each two seconds, so often,
 * from the end of a program on. */
static pid_t starve(pid_t process, pid_t program, int times)
{
	pid_t starver = fork();

	while (starver == 0 && kill(program, 0) == 0)
		usleep(1000);
	for (int i = 0; starver == 0 && i < times; i++) {
		long long before = census_cpu_ticks(process);

		kill(process, SIGSTOP);
		usleep(1900000);
		kill(process, SIGCONT);
		while (census_cpu_ticks(process) == before)
			usleep(1000);
	}
	if (starver == 0)
		_exit(0);
	return starver;
}

/* rr ends each process that is left, and closes the trace, and the machine may have much to do. */
START_TEST(an_rr_that_needs_long_for_the_end_of_a_trace_gets_the_time)
{
	cleanup_place struct place place = place_open();
	start(place.client, place.trace, "background", "many");
	json_decref(wait_for(place.client, place.trace, "all wait"));
	pid_t server = client_pid(place.client), starver = starve(census_find(server, "rr", 0),
						     census_find(server, "background", 0), 10);
	json_auto_t *ended = client_tool(place.client, "rr_record_stop", NULL);
	kill(starver, SIGKILL);
	waitpid(starver, NULL, 0);
	expect_text(ended, "signal", "SIGTERM");
	free(client_replay(place.client, place.trace));
}
END_TEST

static int connect_to(const char *printed)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_port = htons((uint16_t)strtol(strstr(printed, "port ") + 5, NULL, 10));
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void ask_server(const char *printed, const char *question)
{
	char answer[64] = "";
	cleanup_fd int fd = connect_to(printed);

	ck_assert_int_eq(write(fd, question, strlen(question)), (ssize_t)strlen(question));
	ck_assert_int_gt(read(fd, answer, sizeof(answer) - 1), 0);
	ck_assert_str_eq(answer, question);
}

START_TEST(a_forking_server_is_used_while_it_is_recorded)
{
	cleanup_place struct place place = place_open();
	start(place.client, place.trace, "background", "serve");
	json_auto_t *printed = wait_for(place.client, place.trace, "port");
	ask_server(answer_text(printed, "stdout"), "first");
	ask_server(answer_text(printed, "stdout"), "second");
	json_auto_t *ended = client_tool(place.client, "rr_record_stop", NULL);
	expect_number(ended, "exit_code", 0);
	expect_within(ended, "stdout", "asked first");
	ck_assert_uint_eq(answer_count(ended, "processes"), 3);

	/* The call that answered the second question, in the process that made it. */
	long long pid = json_integer_value(answer_at(ended, "processes.2.pid"));
	client_tool_done(place.client, "rr_replay_start", "{s:s,s:I,s:b}", "trace_dir", place.trace,
	    "pid", pid, "fork_pid", 1);
	client_tool_done(place.client, "rr_breakpoint_set", "{s:s}", "location", "answer");
	expect_all(client_tool(place.client, "rr_continue", NULL), IS("frame.function", "answer"));
	expect_all(client_tool(place.client, "rr_evaluate", "{s:s}", "expression", "text"),
	    HAS("value", "\"second\""));
}
END_TEST

START_TEST(several_run_at_once_and_the_status_shows_them)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *second = harness_path(place.folder, "second");
	start(place.client, place.trace, "background", "echo");
	start(place.client, second, "background", "serve");
	json_decref(wait_for(place.client, second, "port"));
	client_tool_refused(place.client, "rr_record_input", "not_found", NULL);
	client_tool_refused(
	    place.client, "rr_rm", "not_allowed", "{s:s}", "trace_dir", place.trace);
	json_auto_t *status = client_tool(place.client, "rr_status", NULL);
	ck_assert_uint_eq(answer_count(status, "recordings"), 2);
	expect_within(status, "recordings.0.command", "background echo");
	json_decref(client_tool(place.client, "rr_record_stop", "{s:s}", "trace_dir", second));
	json_decref(client_tool(place.client, "rr_record_stop", NULL));
	json_auto_t *after = client_tool(place.client, "rr_status", NULL);
	ck_assert_ptr_null(answer_at(after, "recordings"));
}
END_TEST

START_TEST(those_in_the_background_leave_room_for_questions)
{
	cleanup_place struct place place = place_open();
	char trace[64];
	for (int i = 0; i < SESSION_BACKGROUND_MAX; i++) {
		snprintf(trace, sizeof(trace), "%s/%d", place.folder, i);
		start(place.client, trace, "background", "echo");
	}
	cleanup_free char *program = harness_program("background");
	expect_answer_within(
	    client_tool_fails(place.client, "rr_record", "limit", "{s:[s,s],s:s,s:b}", "command",
		program, "echo", "trace_dir", place.trace, "background", 1),
	    "hint", "rr_record_stop");
	json_auto_t *status = client_tool(place.client, "rr_status", NULL);
	ck_assert_uint_eq(answer_count(status, "recordings"), SESSION_BACKGROUND_MAX);
}
END_TEST

/* Nobody has asked for their end when the client goes, or the server is told to. One that still
 * cleans up gets longer for that than one that does nothing. */
static const struct {
	const char *program, *ready, *last;
	bool is_killed; /* the server */
} left[] = {
    {"serve", "port", "ended by signal 15", false},
    {"serve", "port", "ended by signal 15", true},
    {"slow", "waits", "cleaned up after signal 15", false},
};

START_TEST(recordings_end_with_the_server_and_replay)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "trace");
	struct client *client = client_start(NULL);
	start(client, trace, "background", left[_i].program);
	json_decref(wait_for(client, trace, left[_i].ready));
	if (!left[_i].is_killed) {
		client_end(client);
	} else {
		kill(client_pid(client), SIGTERM);
		client_wait_exit(client, HARNESS_TIMEOUT_S);
		client_abandon(client);
	}
	cleanup_client struct client *other = client_start(NULL);
	expect_replays(other, trace, left[_i].last);
}
END_TEST

START_TEST(a_limit_of_the_client_ends_it_and_is_told)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("background");
	json_auto_t *begun = client_tool(place.client, "rr_record", "{s:[s,s],s:s,s:b,s:i}",
	    "command", program, "serve", "trace_dir", place.trace, "background", 1, "timeout", 6);
	expect_within(begun, "note", "at most for 6 s");
	for (int i = 0; i < LOOKS_MAX; i++) {
		json_auto_t *status = client_tool(place.client, "rr_status", NULL);
		if (json_is_true(answer_at(status, "recordings.0.ended")))
			break;
	}
	json_auto_t *ended = client_tool(place.client, "rr_record_stop", NULL);
	expect_text(ended, "ended_by", "timeout");
	expect_within(ended, "stdout", "ended by signal 15");
}
END_TEST

START_TEST(a_cancelled_recording_keeps_its_trace)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("background");
	long long call = client_tool_send_progress(place.client, "rr_record",
	    json_pack("{s:[s,s],s:s}", "command", program, "serve", "trace_dir", place.trace),
	    "progress");
	for (;;) {
		json_auto_t *told =
		    client_notification(place.client, "notifications/progress", HARNESS_TIMEOUT_S);
		ck_assert_ptr_nonnull(told);
		if (strstr(answer_text(told, "params.message"), "port") != NULL)
			break;
	}
	client_cancel(place.client, call);
	/* Nobody answers a cancelled call, so its trace tells when rr has closed it. */
	for (int i = 0; i < LOOKS_MAX; i++) {
		json_auto_t *answer = client_wait(place.client,
		    client_tool_send(place.client, "rr_replay_start",
			json_pack("{s:s}", "trace_dir", place.trace)),
		    HARNESS_TIMEOUT_S);
		const char *text = answer_text(answer, "result.content.0.text");
		if (!answer_true(answer, "result.isError"))
			return;
		ck_assert_msg(strstr(text, "still being recorded") != NULL, "%s", text);
		usleep(LOOK_US);
	}
	harness_fail("the trace stays open");
}
END_TEST

START_TEST(what_is_not_recorded_cannot_be_ended_or_written_to)
{
	cleanup_place struct place place = place_open();
	client_tool_refused(place.client, "rr_record_stop", "not_found", NULL);
	client_tool_refused(place.client, "rr_record_input", "not_found", "{s:s}", "text", "a");
	client_tool_refused(
	    place.client, "rr_record_stop", "invalid_argument", "{s:s}", "signal", "SIGSTOP");
	json_decref(client_tool_fails(place.client, "rr_record", "not_found", "{s:[s],s:b}",
	    "command", "/no/such/program", "background", 1));
}
END_TEST

/* A crash report for a trace opens a session, and the next one for it uses that. */
START_TEST(crash_reports_of_one_trace_share_a_session)
{
	cleanup_place struct place place = place_open();
	json_decref(client_record(place.client, place.trace, "abort", NULL));
	json_auto_t *first =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", "start");
	json_auto_t *second =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	expect_text(second, "session", answer_text(first, "session"));
	expect_text(second, "moment", answer_text(first, "moment"));
	json_auto_t *open = client_tool(place.client, "rr_sessions", NULL);
	ck_assert_uint_eq(answer_count(open, "sessions"), 1);
	/* It stands at the crash again, as a session does that was opened for the report. */
	expect_answer(client_tool(place.client, "rr_when", NULL), "moment",
	    json_string_value(answer_at(open, "sessions.0.moment")));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("background");
	TCase *all = tcase_create("background");

	tcase_add_test(all, a_program_reads_what_it_is_given_and_ends_with_its_input);
	tcase_add_test(all, a_signal_ends_it_as_its_user_would);
	tcase_add_test(all, it_can_be_ended_at_once);
	tcase_add_test(all, an_rr_that_needs_long_for_the_end_of_a_trace_gets_the_time);
	tcase_add_test(all, a_forking_server_is_used_while_it_is_recorded);
	tcase_add_test(all, several_run_at_once_and_the_status_shows_them);
	tcase_add_test(all, those_in_the_background_leave_room_for_questions);
	tcase_add_loop_test(all, recordings_end_with_the_server_and_replay, 0, TIMES(left));
	tcase_add_test(all, a_limit_of_the_client_ends_it_and_is_told);
	tcase_add_test(all, a_cancelled_recording_keeps_its_trace);
	tcase_add_test(all, what_is_not_recorded_cannot_be_ended_or_written_to);
	tcase_add_test(all, crash_reports_of_one_trace_share_a_session);
	tcase_set_timeout(all, SCENE_TEST_TIMEOUT_S);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
