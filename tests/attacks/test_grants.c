/*
 * What a name of a call opens: one file, or one directory, and nothing around it. Root's recordings
 * see no more of other people's homes and of the machine's secrets than an ordinary user's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/attacks/machine.h"
#include "tests/attacks/stage.h"
#include "tests/runner.h"

/* Records a program; its output. */
static char *output_of(struct stage *stage, const char *directory, json_t *command)
{
	json_auto_t *arguments =
	    json_pack("{s:o, s:s}", "command", command, "trace_dir", stage->trace);
	char *text;

	if (directory)
		json_object_set_new(arguments, "working_directory", json_string(directory));
	json_auto_t *answer = client_tool(stage->client, "rr_record", "O", arguments);
	const char *said = json_string_value(answer_at(answer, "stdout"));
	text = strdup(said ? said : "");
	client_tool_done(stage->client, "rr_rm", "{s:s}", "trace_dir", stage->trace);
	return text;
}

/* ---- What is, contains or lies in a hidden path ------------------------------------------------
 */

static const char *const hidden[] = {"/", "/etc", "/etc/ssh", "/home", "/root", "/run", "/run/lock",
    "/var", "/var/spool", "/var/run", "/boot"};

static void expect_refused_name(
    struct stage *stage, const char *argument, const char *value, const char *path)
{
	json_auto_t *answer = client_tool_fails(stage->client, "rr_record", "not_allowed",
	    "{s:[s], s:s}", "command", "/bin/true", argument, value);
	const char *message = answer_text(answer, "message");

	ck_assert_msg(strstr(message, path) && strstr(message, "no recording may uncover") &&
			  strstr(message, "no option"),
	    "%s %s: %s", argument, value, message);
}

START_TEST(a_name_uncovers_nothing_that_is_hidden)
{
	char path[TEXT], real[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++) {
		if (access(hidden[i], F_OK) != 0 || !realpath(hidden[i], real))
			continue;
		/* its own home, to a root whose home is there */
		if (strcmp(hidden[i], "/root") == 0) {
			client_tool_refused(stage.client, "rr_record", NULL, "{s:[s], s:s}",
			    "command", "/bin/true", "working_directory", hidden[i]);
			continue;
		}
		expect_refused_name(&stage, "working_directory", hidden[i], real);
		snprintf(path, sizeof(path), "%s/new-trace", hidden[i]);
		expect_refused_name(&stage, "trace_dir", path, real);
	}
	ck_assert_ptr_nonnull(
	    strstr(client_stderr(stage.client), "audit: directory to record in /etc: refused"));
	stage_close(&stage);
}
END_TEST

/* ---- The system --------------------------------------------------------------------------------
 */

static const char *const of_system[] = {"/usr/bin", "/var/lib/dpkg"};

/* It leaves nothing behind, even where the sandbox gives way. */
#define LOOK                                                                                       \
	"for d in /etc /etc/cron.d /usr /usr/bin /bin /lib /boot /var/lib/dpkg .; do "             \
	"mkdir $d/rr-warden-probe 2>/dev/null && rmdir $d/rr-warden-probe && echo WRITABLE $d; "   \
	"done; cat /etc/shadow 2>/dev/null; pwd"

START_TEST(roots_system_is_not_written_because_it_is_named)
{
	char path[TEXT], real[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	for (size_t i = 0; i < sizeof(of_system) / sizeof(*of_system); i++) {
		if (!realpath(of_system[i], real))
			continue;
		cleanup_free char *output =
		    output_of(&stage, of_system[i], json_pack("[s,s,s]", "/bin/sh", "-c", LOOK));
		ck_assert_msg(
		    strncmp(output, real, strlen(real)) == 0 && strlen(output) == strlen(real) + 1,
		    "%s: %s", of_system[i], output);
		snprintf(path, sizeof(path), "%s/new-trace", of_system[i]);
		client_tool_refused(stage.client, "rr_record", "not_allowed", "{s:[s], s:s}",
		    "command", "/bin/true", "trace_dir", path);
	}
	stage_close(&stage);
}
END_TEST

/* ---- Homes -------------------------------------------------------------------------------------
 */

static bool is_root_with_homes(int play)
{
	return stage_can_play(play) && !(play & AS_USER) && machine_has_homes();
}

START_TEST(a_program_in_a_home_is_seen_as_one_file)
{
	if (!is_root_with_homes(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	cleanup_free char *output = output_of(
	    &stage, NULL, json_pack("[s,s,s,s]", "/home/victim/bin/look", "-a", "-R", "/home"));

	/* without namespaces it may look nowhere at all */
	ck_assert_msg(_i & NO_NAMESPACES || strstr(output, "look"), "%s", output);
	ck_assert_msg(!strstr(output, "key") && !strstr(output, "notes") &&
			  !strstr(output, ".ssh") && !strstr(output, "project"),
	    "%s", output);
	ck_assert_ptr_nonnull(strstr(client_stderr(stage.client),
	    "audit: program to record /home/victim/bin/look: granted"));
	stage_close(&stage);
}
END_TEST

START_TEST(a_directory_in_a_home_is_given_without_the_home)
{
	if (!is_root_with_homes(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	cleanup_free char *output = output_of(&stage, "/home/victim/project",
	    json_pack("[s,s,s]", "/bin/sh", "-c",
		"echo x >made && cat open.txt; ls -aR /home 2>/dev/null; cat ../notes.txt"));

	ck_assert_msg(strncmp(output, SECRET, strlen(SECRET)) == 0, "%s", output);
	ck_assert_msg(!strstr(output + 1, SECRET) && !strstr(output, "notes") &&
			  !strstr(output, ".ssh") && !strstr(output, "bin"),
	    "%s", output);
	client_tool_refused(stage.client, "rr_record", "not_allowed", "{s:[s], s:s}", "command",
	    "/bin/true", "working_directory", "/home/victim");
	client_tool_refused(stage.client, "rr_record", "not_allowed", "{s:[s], s:s}", "command",
	    "/bin/true", "working_directory", "/home/victim/.ssh");
	client_tool_refused(stage.client, "rr_record", "not_allowed", "{s:[s], s:s}", "command",
	    "/bin/true", "trace_dir", "/home/victim/new-trace");
	client_tool_refused(stage.client, "rr_record", "not_allowed", "{s:[s], s:s}", "command",
	    "/bin/true", "trace_dir", "/home/victim/bin/new-trace");
	client_tool_refused(stage.client, "rr_record", NULL, "{s:[s], s:s}", "command", "/bin/true",
	    "working_directory", "/home/victim/bin/key");
	stage_close(&stage);
}
END_TEST

START_TEST(roots_recording_sees_no_keys)
{
	char command[TEXT] = "cat";

	if (!stage_can_play(_i) || !machine_has_keys())
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	for (const char *const *key = machine_keys; *key; key++) {
		strlcat(command, " ", sizeof(command));
		strlcat(command, *key, sizeof(command));
	}
	strlcat(command, " 2>&1; echo the end", sizeof(command));
	cleanup_free char *output =
	    output_of(&stage, NULL, json_pack("[s,s,s]", "/bin/sh", "-c", command));
	ck_assert_msg(strstr(output, "the end") && !strstr(output, SECRET), "%s", output);
	stage_close(&stage);
}
END_TEST

/* ---- Settings ----------------------------------------------------------------------------------
 */

/* A directory to record in, one of sources, and tools in a home, with the files that they need. */
START_TEST(no_setting_shows_a_home_to_a_replay)
{
	static const char *const private[] = {"notes.txt", "work/.env", ".ssh/id_test",
	    ".local/share/rr/other/data", ".local/share/secret", ".local/lib/secret",
	    ".local/bin/secret"};
	char record[TEXT], sources[TEXT], gdb[TEXT], rr[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	snprintf(record, sizeof(record), "--record-directory=%s", stage.home);
	snprintf(sources, sizeof(sources), "--source-dir=%s", stage.home);
	snprintf(gdb, sizeof(gdb), "--gdb=%s/.local/bin/gdb", stage.home);
	snprintf(rr, sizeof(rr), "--rr=%s/.local/bin/rr", stage.home);
	harness_shell(
	    "cd '%s' && mkdir -p .local/bin .local/lib .local/share/rr/other && cd .local && "
	    "cp $(command -v gdb) $(command -v rr) bin && cp -R /usr/lib/rr lib && "
	    "cp /usr/share/rr/*.xml share/rr && ln -s /usr/share/gdb share && "
	    "echo %s | tee share/rr/other/data share/secret lib/secret bin/secret >/dev/null && "
	    "chown -R %u .",
	    stage.home, SECRET, (unsigned)stage.uid);
	client_end(stage.client);
	stage.client = stage_client(&stage, _i,
	    (const char *const[]){
		record, sources, gdb, rr, "--allow-calls", "--sandbox-net_ns=prefer", NULL},
	    NULL);
	stage_replay(&stage);
	ck_assert_int_ge(
	    stage_tried(&stage, "reach_read(\"/etc/passwd\")"), 0); /* or it shows nothing */
	for (size_t i = 0; i < sizeof(private) / sizeof(*private); i++)
		expect_refused(private[i],
		    stage_tried(&stage, "reach_read(\"%s/%s\")", stage.home, private[i]));
	stage_close(&stage);
}
END_TEST

/* ---- Ceilings ----------------------------------------------------------------------------------
 */

/* What the recording of `command` prints, "" when it is refused. */
static char *printed_by(struct stage *stage, const char *directory, const char *command)
{
	json_auto_t *answer = client_wait(stage->client,
	    client_tool_send(stage->client, "rr_record",
		json_pack("{s:[s,s,s,s], s:s, s:s, s:i}", "command", command, "/bin/sh", "-c",
		    "echo REACHED", "working_directory", directory, "trace_dir", stage->trace,
		    "timeout", 20)),
	    60);
	const char *text = json_string_value(answer_at(answer, "result.structuredContent.stdout"));

	harness_shell("rm -rf '%s'", stage->trace);
	return strdup(text ? text : "");
}

/* Names by which `env` is not `true`; test_swapped.c has a link that changes. LIMIT: who can
 * replace the allowed file itself decides what it is. */
START_TEST(the_program_that_was_checked_is_the_one_that_runs)
{
	char inner[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage =
	    stage_open(_i, (const char *const[]){"--record-command=/usr/bin/true", NULL}, NULL);

	snprintf(inner, sizeof(inner), "%s/inner", stage.project);
	harness_shell("cd '%s' && mkdir inner && ln -s /usr/bin/env inner/t && "
		      "chown -R %u . ",
	    stage.project, (unsigned)stage.uid);
	cleanup_free char *through_proc = printed_by(&stage, inner, "/proc/self/cwd/t");
	ck_assert_str_eq(through_proc, "");
	cleanup_free char *through_link = printed_by(&stage, inner, "./t");
	ck_assert_str_eq(through_link, "");
	stage_close(&stage);
}
END_TEST

/* A call that fails leaves no directory behind. */
START_TEST(a_refused_recording_makes_no_directory_for_traces)
{
	static const char *const programs[] = {
	    "/usr/bin/env", "/no/such/program", "no-such-program"};
	char traces[TEXT], variable[TEXT + 16];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	snprintf(traces, sizeof(traces), "%s/new/traces", stage.folder);
	snprintf(variable, sizeof(variable), "_RR_TRACE_DIR=%s", traces);
	client_end(stage.client);
	stage.client =
	    stage_client(&stage, _i, (const char *const[]){"--record-command=/usr/bin/true", NULL},
		(const char *const[]){variable, NULL});
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		client_tool_refused(
		    stage.client, "rr_record", NULL, "{s:[s]}", "command", programs[i]);
		ck_assert_msg(access(traces, F_OK) != 0, "%s", programs[i]);
	}
	client_tool_done(stage.client, "rr_record", "{s:[s]}", "command", "/usr/bin/true");
	ck_assert_int_eq(access(traces, F_OK), 0);
	stage_close(&stage);
}
END_TEST

/* ---- rr by hand --------------------------------------------------------------------------------
 */

/* What `rr-warden rr replay` says, and its gdb about its network. */
static char *replayed_by_hand(const struct stage *stage, int play, const char *option)
{
	char command[2 * TEXT], *text = calloc(1, TEXT),
				*wrapper = harness_program("../doubles/no_spaces");
	FILE *output;

	snprintf(command, sizeof(command),
	    "%s'%s' '%s' rr replay %s '%s' -- -nx -batch -ex 'shell readlink /proc/self/ns/net' "
	    "2>&1",
	    play & AS_USER ? "exec setpriv --reuid=65534 --regid=65534 --clear-groups " : "exec ",
	    play & NO_NAMESPACES ? wrapper : "/usr/bin/env", harness_server(), option,
	    stage->trace);
	output = popen(command, "r");
	ck_assert_ptr_nonnull(output);
	ck_assert_uint_gt(fread(text, 1, TEXT - 1, output), 0);
	pclose(output);
	free(wrapper);
	return text;
}

START_TEST(rrs_port_is_reached_by_nobody_else_or_it_is_said)
{
	char network[64] = {0};

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);

	ck_assert_int_gt(readlink("/proc/self/ns/net", network, sizeof(network) - 1), 0);
	json_decref(stage_record(&stage));
	cleanup_free char *output = replayed_by_hand(&stage, _i, "");
	ck_assert_msg(strstr(output, "net:[") != NULL, "%s", output);
	if (_i & NO_NAMESPACES)
		ck_assert_msg(
		    strstr(output, "every user of this machine can connect"), "%s", output);
	else
		ck_assert_msg(
		    !strstr(output, network) && !strstr(output, "warning: rr's"), "%s", output);
	stage_close(&stage);
}
END_TEST

int main(void)
{
	/* Nothing here is about the home, which may be a link; an ordinary user cannot write the
	 * system, and sees homes as everywhere. */
	static const int plays[] = {0, NO_NAMESPACES, AS_USER | NO_NAMESPACES, AS_USER};
	const struct {
		const char *name;
		const TTest *test;
		size_t plays;
	} tests[] = {{"hidden", a_name_uncovers_nothing_that_is_hidden, 4},
	    {"system", roots_system_is_not_written_because_it_is_named, 2},
	    {"program", a_program_in_a_home_is_seen_as_one_file, 2},
	    {"directory", a_directory_in_a_home_is_given_without_the_home, 2},
	    {"keys", roots_recording_sees_no_keys, 2},
	    {"settings", no_setting_shows_a_home_to_a_replay, 4},
	    {"commands", the_program_that_was_checked_is_the_one_that_runs, 4},
	    {"by hand", rrs_port_is_reached_by_nobody_else_or_it_is_said, 4},
	    {"traces", a_refused_recording_makes_no_directory_for_traces, 4}};
	Suite *suite = suite_create("grants");

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		TCase *one = tcase_create(tests[i].name);
		tcase_set_timeout(one, SCENE_TEST_TIMEOUT_S);
		for (size_t k = 0; k < tests[i].plays; k++)
			tcase_add_loop_test(one, tests[i].test, plays[k], plays[k] + 1);
		suite_add_tcase(suite, one);
	}
	return run_suite(suite);
}
