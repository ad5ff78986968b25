/*
 * How clients can trap a whole server: stray output on stdout, a host that does not read, endless
 * lines and nesting, too many requests, sibling servers that are killed at once, all revisions of
 * the protocol. tests/unit/mcp tests the protocol's rules themselves.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PROGRAM	 "many_watch"
#define MEBIBYTE (1024 * 1024)

/* ---- Who we are talking to ----------------------------------------------------------------- */

/* Metadata of requests of revision 2026-07-28. */
static json_t *modern(json_t *params)
{
	json_object_set_new(params, "_meta",
	    json_pack("{s:s, s:{}}", "io.modelcontextprotocol/protocolVersion", "2026-07-28",
		"io.modelcontextprotocol/clientCapabilities"));
	return params;
}

static json_t *modern_call(const char *tool, json_t *arguments)
{
	return modern(json_pack("{s:s, s:o}", "name", tool, "arguments", arguments));
}

static void expect_pong(struct client *client)
{
	json_auto_t *pong = client_wait(client, client_send(client, "ping", NULL), 60);
	ck_assert_ptr_nonnull(json_object_get(pong, "result"));
}

/* A server whose stderr nobody reads: the pipe is full from the start. */
static struct client *client_with_deaf_host(const char *folder)
{
	static const char script[] = "mkfifo \"$1\" && exec 2<>\"$1\" && "
				     "dd if=/dev/zero bs=65536 count=1 status=none >&2 && "
				     "exec \"$0\" --allow-gdb-commands";
	cleanup_free char *pipe = harness_path(folder, "stderr");
	struct client *client = client_start(&(struct client_options){.server = "/bin/sh",
	    .args = (const char *const[]){"-c", script, harness_server(), pipe, NULL}});
	return client;
}

START_TEST(stdout_carries_answers_and_nothing_else_whatever_is_said_below)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *trace = harness_path(folder, "trace");
	/* The client ends the test at the first line that is no JSON-RPC. */
	cleanup_client struct client *client = client_with_deaf_host(folder);
	json_decref(client_record(client, trace, "noise", NULL));
	free(client_replay(client, trace));
	client_tool_done(client, "rr_continue", NULL);
	const char *const talkative[] = {"help all", "info functions", "show", "echo \\n77^done\\n",
	    "echo {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\\n"};
	for (size_t i = 0; i < sizeof(talkative) / sizeof(talkative[0]); i++)
		client_tool_done(client, "rr_gdb_command", "{s:s}", "command", talkative[i]);
	client_tool_done(client, "rr_goto", "{s:s}", "moment", "start");
	client_close_stdin(client);
	/* Every request got one answer, and nothing else was sent. */
	ck_assert_ptr_null(client_message(client, 30));
}
END_TEST

START_TEST(a_sibling_started_to_be_killed_leaves_nothing)
{
	cleanup_free char *home = harness_scratch(0);
	struct client *client = client_start(&(struct client_options){.raw = true, .home = home});
	expect_all(
	    client_wait(client, client_send(client, "server/discover", modern(json_object())), 60),
	    PRESENT("result.supportedVersions"));
	kill(client_pid(client), SIGTERM);
	client_end(client);
	/* rmdir succeeds only if the home is still empty. */
	ck_assert_int_eq(rmdir(home), 0);
}
END_TEST

START_TEST(the_last_revision_needs_no_opening_and_keeps_sessions_by_their_handle)
{
	cleanup_client struct client *client = client_start(&(struct client_options){.raw = true});
	long long id = client_send(client, "tools/call",
	    modern_call("rr_replay_start", json_pack("{s:s}", "trace_dir", scene_trace(PROGRAM))));
	json_auto_t *started = client_tool_result(client, id, HARNESS_TIMEOUT_S);
	id = client_send(client, "tools/call",
	    modern_call("rr_evaluate", json_pack("{s:s, s:s}", "expression", "6 * 7", "session",
					   answer_text(started, "session"))));
	expect_all(client_wait(client, id, HARNESS_TIMEOUT_S), IS("result.resultType", "complete"),
	    IS("result.structuredContent.value", "42"));
}
END_TEST

START_TEST(a_call_on_another_era_reaches_the_same_session)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	long long id = client_send(scene.client, "tools/call",
	    modern_call("rr_when", json_pack("{s:s}", "session", scene.session)));
	json_decref(client_tool_result(scene.client, id, HARNESS_TIMEOUT_S));
	client_tool_done(scene.client, "rr_when", NULL);
}
END_TEST

/* ---- Progress ------------------------------------------------------------------------------ */

START_TEST(ticks_rise_carry_the_token_as_it_was_and_end_before_the_answer)
{
	cleanup_place struct place place = place_open();
	long long id = client_send(place.client, "tools/call",
	    json_pack("{s:s, s:{s:[s,s], s:s}, s:{s:i}}", "name", "rr_record", "arguments",
		"command", "/bin/sleep", "4", "trace_dir", place.trace, "_meta", "progressToken",
		0));
	double last = -1;
	size_t ticks = 0;
	json_t *message;
	while ((message = client_message(place.client, HARNESS_TIMEOUT_S)) != NULL &&
	       json_object_get(message, "id") == NULL) {
		expect_text(message, "method", "notifications/progress");
		expect_number(message, "params.progressToken", 0);
		double progress = json_number_value(answer_at(message, "params.progress"));
		ck_assert_double_gt(progress, last);
		last = progress;
		ticks++;
		json_decref(message);
	}
	expect_number(message, "id", id);
	ck_assert_ptr_nonnull(answer_at(message, "result.structuredContent.trace_dir"));
	ck_assert_uint_ge(ticks, 1);
	json_decref(message);
	ck_assert_ptr_null(client_message(place.client, 1));
}
END_TEST

/* ---- Limits -------------------------------------------------------------------------------- */

START_TEST(a_client_that_does_not_read_costs_little_and_is_answered_when_it_does)
{
	enum { LISTS = 300 }; /* 300 answers of 28 KB; the requests fit into the pipe */
	cleanup_client struct client *client = client_start(NULL);
	char line[128];
	for (int i = 0; i < LISTS; i++) {
		snprintf(line, sizeof(line),
		    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\"}\n", 1000 + i);
		client_send_bytes(client, line, strlen(line));
	}
	usleep(300 * 1000);
	ck_assert_int_lt(census_resident_kib(client_pid(client)), 8 * 1024);
	for (int i = 0; i < LISTS; i++) {
		expect_all(client_message(client, HARNESS_TIMEOUT_S), NUMBER("id", 1000 + i));
	}
	expect_pong(client);
}
END_TEST

/* A ping whose line is `length` bytes long, without its newline. */
static void send_long_ping(struct client *client, size_t length)
{
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"method\":\"ping\","
				   "\"params\":{\"x\":\"",
			  tail[] = "\"}}\n";
	cleanup_free char *line = malloc(length + 1);
	ck_assert_ptr_nonnull(line);
	memset(line, 'x', length);
	memcpy(line, head, sizeof(head) - 1);
	memcpy(line + length + 1 - (sizeof(tail) - 1), tail, sizeof(tail) - 1);
	client_send_bytes(client, line, length + 1);
}

START_TEST(a_line_of_4_mib_is_served_and_a_longer_one_refused)
{
	cleanup_client struct client *client = client_start(NULL);
	send_long_ping(client, 4 * MEBIBYTE);
	json_t *answer = client_message(client, 60);
	ck_assert_ptr_nonnull(json_object_get(answer, "result"));
	json_decref(answer);

	send_long_ping(client, 4 * MEBIBYTE + 1);
	answer = client_message(client, 60);
	expect_number(answer, "error.code", -32600);
	ck_assert_ptr_null(json_object_get(answer, "id"));
	json_decref(answer);
	expect_pong(client);
}
END_TEST

START_TEST(a_line_without_end_is_refused_once_and_not_kept)
{
	cleanup_client struct client *client = client_start(NULL);
	cleanup_free char *flood = malloc(MEBIBYTE);
	ck_assert_ptr_nonnull(flood);
	memset(flood, '[', MEBIBYTE);
	for (int i = 0; i < 32; i++)
		client_send_bytes(client, flood, MEBIBYTE);
	expect_all(client_message(client, 60), NUMBER("error.code", -32600));
	ck_assert_int_lt(census_resident_kib(client_pid(client)), 16 * 1024);
	client_send_bytes(client, "\n", 1);
	expect_pong(client);
	ck_assert_ptr_null(client_message(client, 0.2));
}
END_TEST

START_TEST(deep_nesting_is_refused_to_the_one_who_asked)
{
	enum { DEPTH = 100000 };
	cleanup_client struct client *client = client_start(NULL);
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":";
	cleanup_free char *brackets = malloc(2 * DEPTH);
	ck_assert_ptr_nonnull(brackets);
	memset(brackets, '[', DEPTH);
	memset(brackets + DEPTH, ']', DEPTH);
	client_send_bytes(client, head, sizeof(head) - 1);
	client_send_bytes(client, brackets, 2 * DEPTH);
	client_send_bytes(client, "}\n", 2);
	expect_all(client_wait(client, 5, 60), NUMBER("error.code", -32600));
	expect_pong(client);
}
END_TEST

START_TEST(more_calls_than_can_be_held_are_refused_and_each_is_answered_once)
{
	enum { CALLS = 100 };
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "main");
	long long ids[CALLS], run = client_tool_send(scene.client, "rr_step",
				  json_pack("{s:i, s:s}", "count", 1000000, "unit", "instruction"));
	for (int i = 0; i < CALLS; i++)
		ids[i] = client_tool_send(
		    scene.client, "rr_evaluate", json_pack("{s:s}", "expression", "1 + 1"));
	/* A cancel needs no free slot, so it always gets through. */
	client_cancel(scene.client, run);
	size_t refused = 0;
	for (int i = 0; i < CALLS; i++) {
		json_auto_t *answer = client_wait(scene.client, ids[i], HARNESS_TIMEOUT_S);
		ck_assert_ptr_nonnull(answer_at(answer, "result.content"));
		json_t *code = answer_at(answer, "result.structuredContent.code");
		refused += code != NULL && strcmp(json_string_value(code), "limit") == 0;
	}
	ck_assert_uint_ge(refused, CALLS - 64);
	ck_assert_ptr_null(client_message(scene.client, 0.5));
	client_tool_done(scene.client, "rr_evaluate", "{s:s}", "expression", "1 + 1");
}
END_TEST

START_TEST(whole_numbers_beyond_what_a_double_holds_travel_as_text)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *answer = client_tool(scene.client, "rr_evaluate", "{s:[s,s,s]}", "expressions",
	    "18446744073709551615ULL", "(long)-9223372036854775807", "$sp");
	expect_text(answer, "results.0.value", "18446744073709551615");
	expect_text(answer, "results.1.value", "-9223372036854775807");
	ck_assert_ptr_nonnull(answer_text(answer, "results.2.value"));
	/* And back: a number as a string of digits. */
	client_tool_done(
	    scene.client, "rr_read_memory", "{s:s, s:s}", "address", "$sp", "count", "8");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    stdout_carries_answers_and_nothing_else_whatever_is_said_below,
	    a_sibling_started_to_be_killed_leaves_nothing,
	    the_last_revision_needs_no_opening_and_keeps_sessions_by_their_handle,
	    a_call_on_another_era_reaches_the_same_session,
	    ticks_rise_carry_the_token_as_it_was_and_end_before_the_answer,
	    a_client_that_does_not_read_costs_little_and_is_answered_when_it_does,
	    a_line_of_4_mib_is_served_and_a_longer_one_refused,
	    a_line_without_end_is_refused_once_and_not_kept,
	    deep_nesting_is_refused_to_the_one_who_asked,
	    more_calls_than_can_be_held_are_refused_and_each_is_answered_once,
	    whole_numbers_beyond_what_a_double_holds_travel_as_text, NULL};
	return scene_main("protocol", tests, (const char *const[]){PROGRAM, NULL});
}
