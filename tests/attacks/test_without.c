/*
 * What a hostile replay gets where layers are missing, and that SECURITY.md's table says the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <unistd.h>
#include "tests/attacks/stage.h"
#include "tests/attacks/witness.h"
#include "tests/runner.h"

START_TEST(without_namespaces_a_replay_is_as_tight_as_what_is_left)
{
	char path[TEXT];

	if (!stage_can_play(NO_NAMESPACES | _i))
		return;
	struct stage stage = stage_open(NO_NAMESPACES | _i,
	    (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);

	stage_replay(&stage);
	snprintf(path, sizeof(path), "%s/trace/version", stage.home);
	ck_assert_int_ge(
	    stage_tried(&stage, "reach_read(\"%s\")", path), 0); /* or nothing is shown */
	expect_refused("/etc/shadow", stage_tried(&stage, "reach_read(\"/etc/shadow\")"));
	expect_refused("/var/lib", stage_tried(&stage, "reach_read(\"/var/lib/dpkg/status\")"));
	expect_refused(
	    "core_pattern", stage_tried(&stage, "reach_write(\"/proc/sys/kernel/core_pattern\")"));
	expect_refused("chmod", stage_tried(&stage, "reach_chmod(\"%s/notes.txt\")", stage.home));
	expect_refused("chmod", stage_tried(&stage, "reach_chmod(\"%s\")", path));
	expect_refused(
	    "prlimit64", stage_tried(&stage, "reach_limits(%d)", (int)client_pid(stage.client)));
	expect_refused(
	    "tgkill", stage_tried(&stage, "reach_signal(%d)", (int)client_pid(stage.client)));
	stage_close(&stage);
}
END_TEST

/* SECURITY.md's table: what a replay gets that one layer is taken from. A letter for each attack
 * that works then; the words are that table's. */
static const struct {
	char letter;
	const char *words;
} prizes[] = {{'h', "a file in the home directory"}, {'s', "`/etc/shadow`"},
    {'k', "the kernel's settings"}, {'u', "the user's unix sockets"}, {'d', "datagrams"},
    {'t', "a TCP server"}, {'n', "a UDP socket"}, {'p', "the limits of another process"},
    {'g', "a signal to"}, {'m', "shared memory of"}, {'f', "a file in `/dev/shm`"}};
#define PRIZES ((int)(sizeof(prizes) / sizeof(prizes[0])))

static const struct {
	const char *layer, *gets;
} without[] = {{"rlimits", ""}, {"capabilities", ""}, {"user_ns", ""}, {"pid_ns", ""},
    {"net_ns", ""}, {"mount_ns", "f"}, {"ipc_ns", ""}, {"uts_ns", ""}, {"landlock", ""},
    {"seccomp", "n"}, {"all namespaces", "f"}};
#define WITHOUT_COUNT ((int)(sizeof(without) / sizeof(without[0])))

/* Without user_ns there are no namespaces: "see the last row". */
static const char *expected_without(int row)
{
	bool all = strcmp(without[row].layer, "user_ns") == 0;

	return without[all ? WITHOUT_COUNT - 1 : row].gets;
}

/* A file where programs keep the memory that they share. */
static void share_file(const struct stage *stage, char path[TEXT])
{
	snprintf(path, TEXT, "/dev/shm/%s", strrchr(stage->folder, '/') + 1);
	harness_write_file(path, SECRET);
	ck_assert_int_eq(chown(path, stage->uid, (gid_t)-1), 0);
}

static struct stage open_without(const char *layer, int play)
{
	char off[64];

	if (strcmp(layer, "all namespaces") == 0)
		return stage_open(play | NO_NAMESPACES,
		    (const char *const[]){"--allow-calls", "--sandbox-net_ns=prefer", NULL}, NULL);
	snprintf(off, sizeof(off), "--sandbox-%s=off", layer);
	/* without user_ns, an ordinary user has no network namespace */
	return stage_open(play,
	    (const char *const[]){"--allow-calls", off,
		strcmp(layer, "user_ns") == 0 ? "--sandbox-net_ns=prefer" : NULL, NULL},
	    NULL);
}

START_TEST(without_one_layer_the_others_hold_as_the_table_says)
{
	char socket_path[TEXT], datagram_path[TEXT], shared_path[TEXT], gets[PRIZES + 1] = "";
	int port, play = _i < WITHOUT_COUNT ? 0 : AS_USER, row = _i % WITHOUT_COUNT;

	if (!stage_can_play(row == WITHOUT_COUNT - 1 ? play | NO_NAMESPACES : play))
		return;
	struct stage stage = open_without(without[row].layer, play);
	int fd = stage_listen(&stage, socket_path), server = stage_serve(&port);
	int datagrams = stage_listen_for_datagrams(&stage, datagram_path);
	int key, memory = stage_share(&key);
	share_file(&stage, shared_path);
	stage_replay(&stage);
	const long long results[PRIZES] = {
	    stage_tried(&stage, "reach_read(\"%s/notes.txt\")", stage.home),
	    stage_tried(&stage, "reach_read(\"/etc/shadow\")"),
	    stage_tried(&stage, "reach_write(\"/proc/sys/kernel/core_pattern\")"),
	    stage_tried(&stage, "reach_unix(\"%s\")", socket_path),
	    stage_tried(&stage, "reach_datagram(\"%s\", 2)", datagram_path),
	    stage_tried(&stage, "reach_server(%d, 0)", port),
	    stage_tried(&stage, "reach_socket(2, 2, 0)"),
	    stage_tried(&stage, "reach_limits(%d)", (int)client_pid(stage.client)),
	    stage_tried(&stage, "reach_signal(%d)", (int)client_pid(stage.client)),
	    stage_tried(&stage, "reach_shared(%d)", key),
	    stage_tried(&stage, "reach_read(\"%s\")", shared_path)};
	for (int i = 0; i < PRIZES; i++)
		if (results[i] >= 0)
			gets[strlen(gets)] = prizes[i].letter;
	const char *expected = expected_without(row);
	ck_assert_msg(strcmp(gets, expected) == 0, "without %s: %s, not %s", without[row].layer,
	    gets, expected);
	unlink(shared_path);
	stage_expect_silence(fd);
	ck_assert_int_eq(shmctl(memory, IPC_RMID, NULL), 0);
	stage_expect_silence(datagrams);
	stage_expect_silence(server);
	stage_close(&stage);
}
END_TEST

/* seccomp and Landlock need it, the latter at least for an ordinary user, and come before any
 * client.
 */
START_TEST(without_no_new_privs_the_server_does_not_start)
{
	struct client *client = client_start(&(struct client_options){
	    .args = (const char *const[]){"--sandbox-no_new_privs=off", NULL}, .raw = true});

	ck_assert_int_ne(client_wait_exit(client, HARNESS_TIMEOUT_S), 0);
	const char *said = client_stderr(client);
	ck_assert(strstr(said, "seccomp") != NULL || strstr(said, "landlock") != NULL);
	client_abandon(client);
}
END_TEST

/* What the table's row of the layer says that it reaches; to be freed. */
static char *reaches(const char *table, const char *layer)
{
	char quoted[64];

	snprintf(quoted, sizeof(quoted), "`%s`", layer);
	const char *at = strstr(table, "| without | it reaches | because |");
	ck_assert_ptr_nonnull(at);
	while ((at = strchr(at, '\n')) != NULL && at[1] == '|') {
		const char *end = strchr(++at + 1, '|'), *found = strstr(at, quoted);
		if ((found && found < end) || strncmp(at + 2, layer, strlen(layer)) == 0)
			return strndup(end + 2, (size_t)(strchr(end + 1, '|') - end - 3));
	}
	ck_abort_msg("SECURITY.md has no row for %s", layer);
}

/* What SECURITY.md says below its table: only mounts hide a home from a recording. (This home is in
 * /tmp, where it can write then.) */
START_TEST(a_recording_under_a_trace_root_reads_the_home_only_without_a_mount_namespace)
{
	char root[TEXT + 32], script[3 * TEXT], trace[TEXT + 8], made[TEXT + 8];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	client_end(stage.client);
	snprintf(root, sizeof(root), "--trace-root=%s", stage.project);
	snprintf(trace, sizeof(trace), "%s/new", stage.project);
	snprintf(made, sizeof(made), "%s/made", stage.home);
	snprintf(
	    script, sizeof(script), "cat '%s/notes.txt'; echo >'%s'; echo ran", stage.home, made);
	stage.client = stage_client(&stage, _i, (const char *const[]){root, NULL}, NULL);
	json_auto_t *answer = client_tool(stage.client, "rr_record", "{s:[s,s,s], s:s}", "command",
	    "/bin/sh", "-c", script, "trace_dir", trace);
	const char *printed = json_string_value(json_object_get(answer, "stdout"));
	ck_assert_msg(printed && strstr(printed, "ran"), "%s", printed);
	ck_assert_msg(
	    (strstr(printed, SECRET) != NULL) == ((_i & NO_NAMESPACES) != 0), "%s", printed);
	ck_assert_int_eq(access(made, F_OK) == 0, (_i & NO_NAMESPACES) != 0);
	stage_close(&stage);
}
END_TEST

START_TEST(the_table_says_what_is_measured)
{
	cleanup_free char *table = harness_file(".github/SECURITY.md");

	ck_assert_ptr_nonnull(table);
	for (int row = 0; row < WITHOUT_COUNT; row++) {
		char *said = reaches(table, without[row].layer);
		bool nothing = strncmp(said, "nothing", 7) == 0 ||
			       strncmp(said, "none of these", 13) == 0 ||
			       strncmp(said, "see the last row", 16) == 0;
		ck_assert_msg(nothing == !without[row].gets[0], "%s: %s", without[row].layer, said);
		for (int i = 0; i < PRIZES; i++) {
			ck_assert_ptr_nonnull(strstr(table, prizes[i].words));
			ck_assert_msg((strstr(said, prizes[i].words) != NULL) ==
					  (strchr(without[row].gets, prizes[i].letter) != NULL),
			    "%s, %s: %s", without[row].layer, prizes[i].words, said);
		}
		free(said);
	}
	cleanup_free char *said = reaches(table, "no_new_privs");
	ck_assert_str_eq(said, "nothing: the server does not start");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("without");
	TCase *all = tcase_create("without");

	witness_alone();
	tcase_set_timeout(all, SCENE_TEST_TIMEOUT_S);
	tcase_add_loop_test(
	    all, without_namespaces_a_replay_is_as_tight_as_what_is_left, 0, NO_NAMESPACES);
	tcase_add_loop_test(all,
	    a_recording_under_a_trace_root_reads_the_home_only_without_a_mount_namespace, 0, PLAYS);
	tcase_add_loop_test(
	    all, without_one_layer_the_others_hold_as_the_table_says, 0, 2 * WITHOUT_COUNT);
	suite_add_tcase(suite, all);
	all = tcase_create("table");
	tcase_add_test(all, without_no_new_privs_the_server_does_not_start);
	tcase_add_test(all, the_table_says_what_is_measured);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
