/*
 * What a person sees of a running server: the file of --log, with a line for each call.
 */
#include <sys/stat.h>
#include <sys/wait.h>
#include "tests/e2e/scene.h"

START_TEST(each_call_is_a_line_with_its_seconds_and_its_failure)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *log = harness_path(folder, "log");
	const char *const args[] = {"--log", log, "--log-level=calls", NULL};
	struct client *client = client_start(&(struct client_options){.args = args});
	cleanup_free char *text = NULL;
	struct stat status;

	json_decref(client_tool(client, "rr_sessions", NULL));
	json_decref(
	    client_tool_fails(client, "rr_backtrace", "no_session", "{s:s}", "session", "s9"));
	ck_assert_str_eq(client_stderr(client), "");
	client_end(client);
	text = harness_file(log);
	ck_assert_ptr_nonnull(strstr(text, "]: call: rr_sessions: 0."));
	ck_assert_ptr_nonnull(strstr(text, " s, no_session: there is no session s9\n"));
	ck_assert_int_eq(stat(log, &status), 0);
	ck_assert_int_eq(status.st_mode & 0777, 0600);
}
END_TEST

START_TEST(what_gdb_and_rr_say_is_logged_for_who_asks)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *log = harness_path(folder, "log");
	const char *const args[] = {"--log", log, "--log-level=gdb", NULL};
	struct scene scene = scene_open("crash", &(struct client_options){.args = args});
	cleanup_free char *text = NULL;

	client_tool_done(scene.client, "rr_evaluate", "{s:s}", "expression", "1 + 41");
	scene_close(&scene);
	text = harness_file(log);
	ck_assert_ptr_nonnull(strstr(text, "]: gdb: to gdb: "));
	ck_assert_ptr_nonnull(strstr(text, "]: gdb: from gdb: "));
	ck_assert_ptr_nonnull(strstr(text, "]: gdb: packet to rr: $"));
	ck_assert_ptr_nonnull(strstr(text, "1 + 41"));
	ck_assert_ptr_nonnull(strstr(text, "]: call: rr_evaluate: "));
}
END_TEST

START_TEST(calls_are_not_logged_unless_somebody_asks)
{
	struct client *client = client_start(NULL);

	json_decref(client_tool(client, "rr_sessions", NULL));
	ck_assert_ptr_null(strstr(client_stderr(client), "call:"));
	client_end(client);
}
END_TEST

START_TEST(a_log_that_cannot_be_written_is_an_error_at_the_start)
{
	const char *const args[] = {"--log=/nowhere/log", NULL};
	struct client *client = client_start(&(struct client_options){.args = args, .raw = true});

	ck_assert_int_eq(WEXITSTATUS(client_wait_exit(client, HARNESS_TIMEOUT_S)), 1);
	ck_assert_ptr_nonnull(strstr(client_stderr(client),
	    "the log cannot be written to /nowhere/log: No such file or directory"));
	client_abandon(client);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    each_call_is_a_line_with_its_seconds_and_its_failure,
	    what_gdb_and_rr_say_is_logged_for_who_asks,
	    calls_are_not_logged_unless_somebody_asks,
	    a_log_that_cannot_be_written_is_an_error_at_the_start,
	    NULL,
	};

	return scene_main("logged", tests, (const char *const[]){"crash", NULL});
}
