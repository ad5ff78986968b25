/*
 * What one trace can make slow is slow for nobody else: a session whose files do not answer waits
 * alone, and is given up. As ourselves and, where we are root, as an ordinary user.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/attacks/stage.h"
#include "tests/runner.h"

#define GIVEN_UP_S 60 /* the monitor waits for 10 */

/* A folder in which the trace's name leads into the stall of tests/doubles/stall.c. */
static void furnish(const struct stage *stage, const char *name, char trace[TEXT], char gate[TEXT])
{
	harness_shell("cd '%s' && mkdir %s && ln -s ../trace %s/stalled && mkfifo -m 666 %s/gate",
	    stage->home, name, name, name);
	snprintf(trace, TEXT, "%s/%s/stalled", stage->home, name);
	snprintf(gate, TEXT, "%s/%s/gate", stage->home, name);
}

static const int users[] = {0, AS_USER};

static long long start(const struct stage *stage, const char *trace)
{
	return client_tool_send(
	    stage->client, "rr_replay_start", json_pack("{s:s}", "trace_dir", trace));
}

START_TEST(a_session_whose_files_do_not_answer_delays_no_other)
{
	cleanup_free char *folder = harness_program("../doubles");
	char libraries[TEXT], slow[TEXT], dead[TEXT], gate[TEXT];

	if (!stage_can_play(users[_i]))
		return;
	/* LD_PRELOAD takes no path with a space. */
	snprintf(libraries, sizeof(libraries), "LD_LIBRARY_PATH=%s", folder);
	struct stage stage =
	    stage_open(users[_i], NULL, (const char *[]){libraries, "LD_PRELOAD=stall.so", NULL});
	stage_replay(&stage);
	furnish(&stage, "dead", dead, gate);
	furnish(&stage, "slow", slow, gate);

	long long never = start(&stage, dead), later = start(&stage, slow);
	/* these come behind them in every queue */
	long long other = start(&stage, stage.trace);
	long long list =
	    client_tool_send(stage.client, "rr_ps", json_pack("{s:s}", "trace_dir", stage.trace));
	long long third = client_tool_send(
	    stage.client, "rr_backtrace", json_pack("{s:s}", "session", stage.session));
	json_decref(client_tool_result(stage.client, third, HARNESS_TIMEOUT_S));
	json_decref(client_tool_result(stage.client, other, HARNESS_TIMEOUT_S));
	json_decref(client_tool_result(stage.client, list, HARNESS_TIMEOUT_S));
	ck_assert_ptr_null(client_wait(stage.client, never, 0));
	ck_assert_ptr_null(client_wait(stage.client, later, 0));

	int fd = open(gate, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	json_decref(client_tool_result(stage.client, later, HARNESS_TIMEOUT_S));
	close(fd);

	json_auto_t *failure =
	    client_tool_failure(stage.client, never, "invalid_argument", GIVEN_UP_S);
	ck_assert_ptr_nonnull(strstr(answer_text(failure, "message"), "does not answer"));
	stage_close(&stage);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_session_whose_files_do_not_answer_delays_no_other, TIMES(users)}, {NULL, 0}};

	return scene_main_loops("slow", tests, (const char *const[]){NULL});
}
