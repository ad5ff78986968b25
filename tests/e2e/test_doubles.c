/*
 * A worker or a gdb that breaks every rule costs its own session and nothing else. Both are doubles
 * from tests/doubles; the supervisor is the real one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define PROGRAM "many_watch"

static const char *const manners[] = {"silent", "flood", "half a header", "length too long",
    "length too short", "unknown type", "a request", "wrong id", "no json", "an array",
    "duplicate keys", "a descriptor", "exit", "violation"};
#define MANNER_COUNT TIMES(manners)

START_TEST(a_worker_gone_bad_costs_its_session_and_nothing_else)
{
	char *folder = harness_tree("../doubles/worker"),
	     *server = harness_path(folder, "bin/rr-warden");
	struct client *client = client_start(&(struct client_options){.server = server,
	    .args = (const char *const[]){"--timeout-startup=2", "--timeout-connect=2", NULL}});
	fprintf(stderr, "%s\n", manners[_i]);
	long long id = client_tool_send(client, "rr_replay_start",
	    json_pack("{s:s, s:s}", "trace_dir", scene_trace(PROGRAM), "at", manners[_i]));
	json_t *list = client_wait(client, client_send(client, "tools/list", NULL), 30);
	ck_assert_ptr_nonnull(list);
	json_decref(list);
	json_t *failed = client_tool_failure(client, id, NULL, 60);
	const char *code = answer_text(failed, "code");
	ck_assert(strcmp(code, "worker_died") == 0 || strcmp(code, "timeout") == 0 ||
		  strcmp(code, "sandbox_violation") == 0);
	if (strcmp(manners[_i], "violation") == 0)
		expect_within(failed, "message", "socket");
	json_decref(failed);
	list = client_wait(client, client_send(client, "ping", NULL), 30);
	ck_assert_ptr_nonnull(list);
	json_decref(list);
	client_end(client);
	free(server);
	harness_scratch_free(folder);
}
END_TEST

static const char *const gdbs[] = {"gdb-hangs", "gdb-exits", "gdb-floods-one-line",
    "gdb-floods-lines", "gdb-nests", "gdb-talks-nonsense"};
#define GDB_COUNT TIMES(gdbs)

START_TEST(a_gdb_gone_bad_is_an_error_in_time)
{
	char *folder = harness_scratch(0), *gdb = harness_path(folder, gdbs[_i]), flag[512];
	char *real = harness_program("../doubles/gdb");
	harness_shell("cp '%s' '%s'", real, gdb);
	snprintf(flag, sizeof(flag), "--gdb=%s", gdb);
	struct client *client = client_start(
	    &(struct client_options){.args = (const char *const[]){flag, "--timeout-startup=3",
					 "--timeout-connect=3", NULL}});
	fprintf(stderr, "%s\n", gdbs[_i]);
	long long id = client_tool_send(
	    client, "rr_replay_start", json_pack("{s:s}", "trace_dir", scene_trace(PROGRAM)));
	json_t *failed = client_tool_failure(client, id, NULL, 60);
	ck_assert_str_ne(answer_text(failed, "code"), "internal");
	json_decref(failed);
	client_end(client);
	free(real);
	free(gdb);
	harness_scratch_free(folder);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_worker_gone_bad_costs_its_session_and_nothing_else, MANNER_COUNT},
	    {a_gdb_gone_bad_is_an_error_in_time, GDB_COUNT},
	    {NULL, 0},
	};

	return scene_main_loops("doubles", tests, (const char *const[]){PROGRAM, NULL});
}
