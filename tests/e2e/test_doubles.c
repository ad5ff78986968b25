/*
 * A worker or a gdb that breaks every rule costs its own session and nothing else. Both are doubles
 * from tests/doubles; the supervisor is the real one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/doubles/gdb.h"
#include "tests/e2e/scene.h"

#define PROGRAM "many_watch"

static const char *const manners[] = {"silent", "flood", "half a header", "length too long",
    "length too short", "unknown type", "a request", "wrong id", "no json", "an array",
    "duplicate keys", "a descriptor", "exit", "violation"};
#define MANNER_COUNT TIMES(manners)

START_TEST(a_worker_gone_bad_costs_its_session_and_nothing_else)
{
	char *folder = harness_tree("../doubles/worker");
	cleanup_free char *server = harness_path(folder, "bin/rr-warden");
	struct client *client = client_start(&(struct client_options){.server = server,
	    .args = (const char *const[]){"--timeout-startup=2", "--timeout-connect=2", NULL}});
	fprintf(stderr, "%s\n", manners[_i]);
	long long id = client_tool_send(client, "rr_replay_start",
	    json_pack("{s:s, s:s}", "trace_dir", scene_trace(PROGRAM), "at", manners[_i]));
	json_t *list = client_wait(client, client_send(client, "tools/list", NULL), 30);
	ck_assert_ptr_nonnull(list);
	json_decref(list);
	json_auto_t *failed = client_tool_failure(client, id, NULL, 60);
	const char *code = answer_text(failed, "code");
	ck_assert(strcmp(code, "worker_died") == 0 || strcmp(code, "timeout") == 0 ||
		  strcmp(code, "sandbox_violation") == 0);
	if (strcmp(manners[_i], "violation") == 0)
		expect_within(failed, "message", "socket");
	list = client_wait(client, client_send(client, "ping", NULL), 30);
	ck_assert_ptr_nonnull(list);
	json_decref(list);
	client_end(client);
	harness_scratch_free(folder);
}
END_TEST

static const struct {
	const char *name, *code, *says;
} gdbs[] = {
    {"gdb-hangs", "timeout", ""},
    {"gdb-exits", "gdb_failed", "status 1"},
    {"gdb-floods-one-line", "gdb_failed", "incomplete"},
    {"gdb-floods-lines", "timeout", ""},
    {"gdb-nests", "timeout", ""},
    {"gdb-talks-nonsense", "timeout", ""},
};
#define GDB_COUNT TIMES(gdbs)

/* A client of a server whose gdb is the double under this name, with these options. */
static struct client *start_with_gdb(
    char *folder, const char *name, const char *option, const char *another)
{
	cleanup_free char *gdb = harness_path(folder, name);
	cleanup_free char *real = harness_program("../doubles/gdb");
	char flag[512];

	harness_shell("cp '%s' '%s'", real, gdb);
	snprintf(flag, sizeof(flag), "--gdb=%s", gdb);
	return client_start(
	    &(struct client_options){.args = (const char *const[]){flag, option, another, NULL}});
}

START_TEST(a_gdb_gone_bad_is_an_error_in_time)
{
	cleanup_scratch char *folder = harness_scratch(0);
	struct client *client =
	    start_with_gdb(folder, gdbs[_i].name, "--timeout-startup=3", "--timeout-connect=3");
	fprintf(stderr, "%s\n", gdbs[_i].name);
	long long id = client_tool_send(
	    client, "rr_replay_start", json_pack("{s:s}", "trace_dir", scene_trace(PROGRAM)));
	expect_answer_within(
	    client_tool_failure(client, id, gdbs[_i].code, 60), "message", gdbs[_i].says);
	client_end(client);
}
END_TEST

/* As Debian's gdb-minimal. The sandbox would not let the double start the real one. */
START_TEST(a_gdb_without_python_is_named)
{
	cleanup_scratch char *folder = harness_scratch(0);
	struct client *client = start_with_gdb(folder, GDB_BARE, "--sandbox-seccomp=off", NULL);
	long long id = client_tool_send(
	    client, "rr_replay_start", json_pack("{s:s}", "trace_dir", scene_trace(PROGRAM)));
	json_t *failure = client_tool_failure(client, id, "gdb_failed", HARNESS_TIMEOUT_S);

	expect_within(failure, "message", GDB_BARE_SAYS);
	expect_within(failure, "hint", "not gdb-minimal");
	json_decref(failure);
	client_end(client);
}
END_TEST

/* Tools that read much, or forgive much, of what gdb does not tell. */
static const struct {
	const char *tool, *arguments;
} readers[] = {
    {"rr_backtrace", "{\"full\": true}"},
    {"rr_type", "{\"expression\": \"four\"}"},
    {"rr_expand", "{\"expression\": \"four\"}"},
    {"rr_watchpoint_set", "{\"expression\": \"counter\"}"},
};
#define READER_COUNT  TIMES(readers)
#define COMMANDS_MAX  60 /* that a reader may give gdb */
#define SURVIVALS_MAX 2	 /* gdb dies no longer while the reader runs */

/* What the tool answers, whether it fails or not. */
static json_t *call(struct client *client, const char *tool, const char *arguments)
{
	json_auto_t *answer = client_wait(client,
	    client_tool_send(client, tool, json_loads(arguments, 0, NULL)), HARNESS_TIMEOUT_S);
	json_t *content = json_incref(answer_at(answer, "result.structuredContent"));

	ck_assert_ptr_nonnull(content);
	return content;
}

/* The reader's answer, with a gdb that dies after so many commands. Seccomp would not let the
 * double start the real gdb. */
static json_t *read_dying(const char *tool, const char *arguments, int commands)
{
	char *folder = harness_scratch(0);
	char name[64];
	snprintf(name, sizeof(name), GDB_DIES_AFTER "%d", commands);
	struct client *client = start_with_gdb(folder, name, "--sandbox-seccomp=off", NULL);
	client_tool_done(client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM));
	client_tool_done(client, "rr_breakpoint_set", "{s:s}", "location", "count_up");
	client_tool_done(client, "rr_continue", NULL);
	json_decref(call(client, "rr_evaluate", "{\"expression\": \"" GDB_SIGN "\"}"));
	json_t *answer = call(client, tool, arguments);
	client_end(client);
	harness_scratch_free(folder);
	return answer;
}

/* Whatever the reader gives must be what it gives with a gdb that lives, or say that gdb died. */
START_TEST(what_was_read_of_a_dying_gdb_is_no_result)
{
	json_auto_t *whole = read_dying(readers[_i].tool, readers[_i].arguments, 100000);
	int deaths = 0, survivals = 0;

	ck_assert_ptr_null(json_object_get(whole, "code"));
	for (int commands = 1; survivals < SURVIVALS_MAX && commands < COMMANDS_MAX; commands++) {
		json_t *answer = read_dying(readers[_i].tool, readers[_i].arguments, commands);
		if (json_equal(answer, whole)) {
			survivals++;
		} else {
			expect_answer(answer, "code", "gdb_failed");
			deaths++;
		}
	}
	ck_assert_int_gt(deaths, 0);
}
END_TEST

/* The call's time is over, so that is what it says, and the session comes back. */
START_TEST(a_gdb_that_dies_of_its_interrupt_ran_out_of_time)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_client struct client *client =
	    start_with_gdb(folder, GDB_DIES_OF_INTERRUPT, "--sandbox-seccomp=off", NULL);

	client_tool_done(client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM));
	expect_all(client_tool_fails(client, "rr_when_became", "timeout", "{s:s, s:f}", "predicate",
		       "counter == " GDB_SIGN, "deadline", 0.5),
	    HAS("message", "Aborted"), HAS("message", "instance of 'gdb_exception_quit'"),
	    HAS("hint", "longer deadline"), HAS("hint", "restores it"), TRUE("session_alive"));
	expect_all(client_tool(client, "rr_when", NULL), TRUE("restored"));
}
END_TEST

/* To say that what is there is not would be a wrong answer. */
START_TEST(a_moment_that_a_breakpoint_misses_is_reached_all_the_same)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_client struct client *client =
	    start_with_gdb(folder, GDB_MISSES, "--sandbox-seccomp=off", NULL);
	const json_t *change;
	size_t i;

	client_tool_done(client, "rr_replay_start", "{s:s}", "trace_dir", scene_trace(PROGRAM));
	json_auto_t *history =
	    client_tool(client, "rr_value_history", "{s:s}", "expression", "counter");
	ck_assert_uint_ge(answer_count(history, "changes"), 3);
	json_decref(call(client, "rr_evaluate", "{\"expression\": \"" GDB_SIGN "\"}"));
	json_array_foreach(json_object_get(history, "changes"), i, change)
	{
		const char *moment = json_string_value(json_object_get(change, "moment"));

		if (i % 4 == 0)
			expect_all(client_tool(client, "rr_goto", "{s:s}", "moment", moment),
			    IS("moment", moment));
	}
	/* What is not there is still not there. */
	client_tool_refused(
	    client, "rr_goto", "invalid_argument", "{s:s}", "moment", "101:27000@401000.1234567");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_worker_gone_bad_costs_its_session_and_nothing_else, MANNER_COUNT},
	    {a_gdb_gone_bad_is_an_error_in_time, GDB_COUNT},
	    {a_gdb_without_python_is_named, 1},
	    {what_was_read_of_a_dying_gdb_is_no_result, READER_COUNT},
	    {a_gdb_that_dies_of_its_interrupt_ran_out_of_time, 1},
	    {a_moment_that_a_breakpoint_misses_is_reached_all_the_same, 1},
	    {NULL, 0},
	};

	return scene_main_loops("doubles", tests, (const char *const[]){PROGRAM, NULL});
}
