/*
 * Findings 7 and 11 in every play: namespaces and other processes that a replay could reach where
 * layers are missing, and names and homes that mislead. The other findings are in test_findings.c.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
#include "tests/attacks/stage.h"

/* ---- 7: namespaces and other processes ---------------------------------------------------------
 */

/* In a namespace of its own, a replay would have every capability. */
START_TEST(a_replay_makes_no_namespaces)
{
	static const int namespaces[] = {CLONE_NEWUSER, CLONE_NEWUSER | CLONE_NEWNS,
	    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET};
	static const char *const calls[] = {"clone", "clone3", "unshare"};
	char call[64];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);

	stage_replay(&stage);
	for (size_t i = 0; i < sizeof(namespaces) / sizeof(*namespaces); i++)
		for (size_t c = 0; c < sizeof(calls) / sizeof(*calls); c++) {
			snprintf(call, sizeof(call), "reach_%s(%d)", calls[c], namespaces[i]);
			expect_refused(call, stage_tried(&stage, "%s", call));
		}
	expect_refused("clone3", stage_tried(&stage, "reach_clone3(0)"));
	stage_close(&stage);
}
END_TEST

START_TEST(a_replay_changes_no_other_process)
{
	static const char *const calls[] = {
	    "limits(%d)", "signal(%d)", "processors(%d)", "counter(%d, -1)", "counter(%d, 0)"};
	char call[64];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);
	pid_t other = stage_bystander(&stage);

	stage_replay(&stage);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		strlcpy(call, "reach_", sizeof(call));
		snprintf(call + strlen(call), sizeof(call) - strlen(call), calls[i], (int)other);
		expect_refused(call, stage_tried(&stage, "%s", call));
	}
	expect_refused("a processor's counter", stage_tried(&stage, "reach_counter(-1, 0)"));
	stage_bystander_end(other);
	stage_close(&stage);
}
END_TEST

/* As databases and window systems have it; anybody may use it. */
START_TEST(a_replay_shares_no_memory_with_others)
{
	if (!stage_can_play(_i))
		return;
	int key, memory = stage_share(&key);
	struct stage stage = stage_open(
	    _i, (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);

	stage_replay(&stage);
	expect_refused("shared memory", stage_tried(&stage, "reach_shared(%d)", key));
	stage_close(&stage);
	ck_assert_int_eq(shmctl(memory, IPC_RMID, NULL), 0);
}
END_TEST

/* ---- 11: names and homes -----------------------------------------------------------------------
 */

/* rr's own link to the newest trace. */
START_TEST(an_import_takes_no_name_of_rrs)
{
	char path[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	json_decref(stage_record(&stage));
	harness_shell("cd '%s' && tar -cf evil.tar --transform 's,^trace,latest-trace,' trace && "
		      "tar -cf good.tar --transform 's,^trace,other,' trace && chown %u *.tar",
	    stage.home, (unsigned)stage.uid);
	snprintf(path, sizeof(path), "%s/evil.tar", stage.home);
	expect_answer_within(
	    client_tool_fails(stage.client, "rr_import", NULL, "{s:s}", "file", path), "message",
	    "latest-trace");
	snprintf(path, sizeof(path), "%s/good.tar", stage.home);
	client_tool_done(
	    stage.client, "rr_import", "{s:s}", "file", path); /* or it shows nothing */
	harness_shell(
	    "cd '%s/.local/share/rr' && test -d other && test ! -e latest-trace", stage.home);
	stage_close(&stage);
}
END_TEST

/* Traces then go where passwd says, which is nowhere for this user, and not into /tmp/rr, where
 * anybody could wait. */
START_TEST(without_a_home_no_trace_goes_into_a_shared_directory)
{
	static const char *const homes[] = {"HOME=", "HOME=.", "HOME=tmp"};

	if (!stage_can_play(_i) || !(_i & AS_USER))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	for (size_t i = 0; i < sizeof(homes) / sizeof(*homes); i++) {
		client_end(stage.client);
		stage.client =
		    stage_client(&stage, _i, NULL, (const char *const[]){homes[i], NULL});
		expect_answer_within(client_tool_fails(stage.client, "rr_record", NULL, "{s:[s]}",
					 "command", "/bin/true"),
		    "message", "/nonexistent/.local/share/rr");
	}
	harness_shell("test -z \"$(find /tmp/rr '%s' -path '*rr/*' -user %u 2>/dev/null)\"",
	    stage.home, (unsigned)stage.uid);
	stage_close(&stage);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_replay_makes_no_namespaces,
	    a_replay_changes_no_other_process, a_replay_shares_no_memory_with_others,
	    an_import_takes_no_name_of_rrs, without_a_home_no_trace_goes_into_a_shared_directory,
	    NULL};

	return stage_main("degraded", tests);
}
