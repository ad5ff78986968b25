/*
 * How the server ends: it answers what it can within a bounded time, and does not wait for what
 * nobody can read or start any more. test_containment.c counts what is left.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/at_work.h"
#include "tests/e2e/scene.h"

/* Every deadline that could be waited for instead is longer, on a busy machine too. */
#define END_S 25

#define PROGRAM "many_watch"
#define HELLO                                                                                      \
	"{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"initialize\",\"params\":{"                 \
	"\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"                                  \
	"\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n"                                    \
	"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
#define SLEEPER                                                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"            \
	"\"rr_record\",\"arguments\":{\"command\":[\"/bin/sleep\",\"3600\"],"                      \
	"\"trace_dir\":\"%s/t\"}}}\n"

static long long send_sleeper(struct client *client, const char *folder)
{
	cleanup_free char *trace = harness_path(folder, "t");
	long long id = client_tool_send(client, "rr_record",
	    json_pack("{s:[s,s], s:s}", "command", "/bin/sleep", "3600", "trace_dir", trace));

	census_await(client_pid(client), "sleep");
	return id;
}

START_TEST(without_a_standard_input_it_ends_at_once)
{
	const char *script = "exec \"$0\" <&-";
	struct client *client = client_start(&(struct client_options){.server = "/bin/sh",
	    .raw = true,
	    .args = (const char *const[]){"-c", script, harness_server(), NULL}});
	int status = client_wait_exit(client, END_S);

	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	client_abandon(client);
}
END_TEST

START_TEST(a_call_in_flight_at_the_end_of_input_is_answered)
{
	struct client *client = client_start(NULL);
	long long id = client_tool_send(client, "rr_list_recordings", NULL);

	client_close_stdin(client);
	json_decref(client_tool_result(client, id, 30));
	ck_assert_int_eq(client_wait_exit(client, END_S), 0);
	client_abandon(client);
}
END_TEST

START_TEST(a_call_that_goes_on_after_the_end_of_input_is_ended_with_an_answer)
{
	cleanup_scratch char *folder = harness_scratch(0);
	struct client *client = client_start(NULL);
	long long id = send_sleeper(client, folder);
	double start = harness_now();

	client_close_stdin(client);
	expect_answer_within(client_tool_failure(client, id, "cancelled", 30), "message", "input");
	ck_assert_int_eq(client_wait_exit(client, END_S), 0);
	ck_assert_msg(harness_now() - start < END_S, "it took %.1f s", harness_now() - start);
	client_abandon(client);
}
END_TEST

START_TEST(the_end_of_input_ends_an_idle_session_at_once)
{
	struct scene scene = scene_open(PROGRAM, NULL);
	double start = harness_now();

	client_close_stdin(scene.client);
	client_wait_exit(scene.client, END_S);
	ck_assert_msg(harness_now() - start < END_S, "it took %.1f s", harness_now() - start);
	client_abandon(scene.client);
	free(scene.session);
}
END_TEST

/* A host that has gone, while a child of it still holds its end of our stdin. */
START_TEST(a_reader_that_is_gone_is_noticed_while_a_call_runs)
{
	cleanup_scratch char *folder = harness_scratch(0);
	char request[1024];
	int in[2], out[2], status;
	double start;
	pid_t pid;

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(harness_server(), "rr-warden", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	snprintf(request, sizeof(request), HELLO SLEEPER, folder);
	ck_assert_int_eq(write(in[1], request, strlen(request)), (ssize_t)strlen(request));
	census_await(pid, "sleep");
	close(out[0]);
	start = harness_now();
	while (waitpid(pid, &status, WNOHANG) == 0 && harness_now() - start < END_S)
		usleep(10000);
	ck_assert_msg(harness_now() - start < END_S, "it took %.1f s", harness_now() - start);
	ck_assert(census_await_none(getpid(), END_S) >= 0);
	close(in[1]);
}
END_TEST

/* The launcher is the keeper's child, and the keeper is the server's. Nobody is left to start
 * another. */
START_TEST(without_the_process_that_starts_workers_it_answers_and_ends)
{
	struct scene scene = scene_open(PROGRAM, NULL);
	long long running = at_work_step(scene.client, NULL);
	int status;

	kill(census_find(client_pid(scene.client), "rr-warden", 0), SIGKILL);
	expect_all(client_tool_failure(scene.client, running, "worker_died", 30),
	    FALSE("session_alive"), HAS("hint", "start the server again"));
	status = client_wait_exit(scene.client, END_S);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	ck_assert_ptr_nonnull(strstr(client_stderr(scene.client), "starts workers"));
	client_abandon(scene.client);
	free(scene.session);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {without_a_standard_input_it_ends_at_once,
	    a_call_in_flight_at_the_end_of_input_is_answered,
	    a_call_that_goes_on_after_the_end_of_input_is_ended_with_an_answer,
	    the_end_of_input_ends_an_idle_session_at_once,
	    a_reader_that_is_gone_is_noticed_while_a_call_runs,
	    without_the_process_that_starts_workers_it_answers_and_ends, NULL};
	static const char *const programs[] = {PROGRAM, NULL};

	return scene_main("endings", tests, programs);
}
