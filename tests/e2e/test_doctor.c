/*
 * `rr-warden doctor` reports success only if it made and replayed a recording, names what is
 * missing with its fix, and leaves nothing behind.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define COMMAND_MAX 8192
#define NOT_HERE    77 /* of the doubles */

/* The object that doctor --json prints when started by a shell with this prefix, and its exit
 * status. */
static json_t *examine(const char *prefix, const char *server, const char *options, int *status)
{
	char command[COMMAND_MAX];
	json_error_t error;

	snprintf(command, sizeof(command), "%s '%s' %s doctor --json 2>/dev/null", prefix, server,
	    options);
	FILE *pipe = popen(command, "re");
	ck_assert_ptr_nonnull(pipe);
	json_t *said = json_loadf(pipe, JSON_DISABLE_EOF_CHECK, &error);
	int ended = pclose(pipe);
	ck_assert(WIFEXITED(ended));
	*status = WEXITSTATUS(ended);
	ck_assert_msg(said != NULL || *status == NOT_HERE, "no JSON: %s", error.text);
	return said;
}

/* The words that run a command in a double. */
static char *prefix_of(const char *name)
{
	cleanup_free char *relative = harness_path("../doubles", name);
	cleanup_free char *path = harness_program(relative);
	char *quoted;

	ck_assert_int_gt(asprintf(&quoted, "'%s'", path), 0);
	return quoted;
}

static const json_t *finding_on(const json_t *said, const char *subject, const char *state)
{
	json_t *findings = answer_at(said, "findings"), *finding;
	size_t i;

	json_array_foreach(findings, i, finding)
	{
		if (strcmp(answer_text(finding, "subject"), subject) == 0 &&
		    strcmp(answer_text(finding, "state"), state) == 0)
			return finding;
	}
	char *shown = answer_show(said);
	ck_abort_msg("no %s for %s in %s", state, subject, shown);
}

START_TEST(well_means_recorded_and_replayed)
{
	char *home = harness_scratch(0), prefix[COMMAND_MAX], *pattern;
	int status;
	snprintf(prefix, sizeof(prefix), "_RR_TRACE_DIR='%s'", home);
	json_auto_t *said = examine(prefix, harness_server(), "", &status);
	expect_text(finding_on(said, "recording", "ok"), "fix", "");
	expect_text(finding_on(said, "sources", "ok"), "fix", "");
	expect_text(finding_on(said, "replay", "ok"), "fix", "");
	expect_text(finding_on(said, "rr", "ok"), "fix", "");
	ck_assert_int_ne(status, 2);
	ck_assert_ptr_nonnull(answer_at(said, "status.rr.version"));
	ck_assert_str_eq(answer_text(said, "status.trace_base_dir"), home);
	glob_t left;
	pattern = harness_path(home, "true*");
	ck_assert_msg(glob(pattern, 0, NULL, &left) == GLOB_NOMATCH, "the recording stays");
	globfree(&left);
	free(pattern);
	harness_scratch_free(home);
}
END_TEST

START_TEST(a_list_of_sources_that_others_can_write_is_a_warning)
{
	char prefix[COMMAND_MAX];
	int status;
	cleanup_scratch char *home = harness_scratch(0);

	harness_shell("mkdir -p '%s/rr-warden' && chmod 777 '%s/rr-warden'", home, home);
	snprintf(prefix, sizeof(prefix), "_RR_TRACE_DIR='%s' XDG_STATE_HOME='%s'", home, home);
	json_auto_t *said = examine(prefix, harness_server(), "", &status);
	expect_within(finding_on(said, "sources", "warning"), "fix", "XDG_STATE_HOME");
	ck_assert_int_eq(status, 1);
}
END_TEST

START_TEST(what_is_missing_is_a_problem_with_a_fix)
{
	static const char *const missing[] = {"rr", "gdb"};
	for (size_t i = 0; i < 2; i++) {
		char options[64];
		int status;
		snprintf(options, sizeof(options), "--%s=/nowhere/%s", missing[i], missing[i]);
		json_t *said = examine("", harness_server(), options, &status);
		const char *fix = answer_text(finding_on(said, missing[i], "problem"), "fix");
		ck_assert_msg(strstr(fix, "apt install") != NULL, "%s", fix);
		ck_assert_int_eq(status, 2);
		json_decref(said);
	}
}
END_TEST

/* As in Docker: recording works; replaying needs a private network, or the user's consent. */
START_TEST(in_a_container_it_names_the_way_to_replay)
{
	cleanup_free char *container = prefix_of("container");
	int status;
	json_t *said = examine(container, harness_server(), "", &status);
	if (status != NOT_HERE) {
		ck_assert_int_eq(status, 2);
		finding_on(said, "recording", "ok");
		const char *text = answer_text(finding_on(said, "replay", "problem"), "text");
		ck_assert_msg(strstr(text, "net_ns") != NULL, "%s", text);
		text = answer_text(finding_on(said, "replay", "problem"), "fix");
		ck_assert_msg(strstr(text, "--sandbox-net_ns=prefer") != NULL, "%s", text);
		const char *layers = answer_text(finding_on(said, "sandbox", "warning"), "text");
		ck_assert_msg(strstr(layers, "user_ns") != NULL, "%s", layers);
		json_decref(said);
		said = examine(container, harness_server(), "--sandbox-net_ns=prefer", &status);
		ck_assert_int_eq(status, 1);
		finding_on(said, "replay", "ok");
		finding_on(said, "sandbox", "warning");
	}
	json_decref(said);
}
END_TEST

START_TEST(it_names_the_switch_that_is_off)
{
	cleanup_free char *prefix = prefix_of("no_spaces");
	int status;
	/* execv does not look into PATH */
	cleanup_free char *server = realpath(harness_server(), NULL);
	json_auto_t *said = examine(prefix, server, "", &status);
	if (status != NOT_HERE) {
		const char *fix = answer_text(finding_on(said, "sandbox", "warning"), "fix");
		ck_assert_msg(strstr(fix, "max_user_namespaces") != NULL, "%s", fix);
		ck_assert_msg(strstr(fix, "apparmor") == NULL, "not only the switch: %s", fix);
	}
}
END_TEST

/* Runs a program ($2...) in a chroot ($1) with the system's files, as root. */
#define CHROOT                                                                                     \
	"#!/bin/sh\n"                                                                              \
	"[ $(id -u) = 0 ] || exit 77\n"                                                            \
	"exec unshare --mount sh -c 'set -e; root=$0; server=$1; top=${server%/bin/*}\n"           \
	"cp -P /bin /lib /lib64 \"$root/\" 2>/dev/null || exit 77\n"                               \
	"for folder in /usr /etc /proc /dev /tmp \"$top\"; do\n"                                   \
	"\tmkdir -p \"$root$folder\"; mount --rbind \"$folder\" \"$root$folder\"; done\n"          \
	"exec chroot \"$root\" \"$@\"' \"$@\"\n"

START_TEST(it_names_a_chroot_as_the_reason)
{
	char *folder = harness_scratch(0), prefix[COMMAND_MAX];
	cleanup_free char *script = harness_path(folder, "enter");
	cleanup_free char *root = harness_path(folder, "root");
	cleanup_free char *server = realpath(harness_server(), NULL);
	int status;
	harness_write_file(script, CHROOT);
	ck_assert_int_eq(mkdir(root, 0755), 0);
	snprintf(prefix, sizeof(prefix), "sh '%s' '%s'", script, root);
	json_auto_t *said = examine(prefix, server, "--pmu=software", &status);
	if (status != NOT_HERE) {
		const char *fix = answer_text(finding_on(said, "sandbox", "warning"), "fix");
		ck_assert_msg(strstr(fix, "this is a chroot") != NULL, "%s", fix);
	}
	harness_scratch_free(folder);
}
END_TEST

START_TEST(it_says_whose_word_a_setting_is)
{
	int status;
	json_auto_t *said =
	    examine("RR_MCP_TIMEOUT_EVAL=7", harness_server(), "--sessions=3", &status);
	const char *text = answer_text(finding_on(said, "settings", "ok"), "text");
	ck_assert_msg(strstr(text, "--timeout-eval by the environment") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "--sessions by a flag") != NULL, "%s", text);
}
END_TEST

/* Copies the server's bin and libexec, with a softpmu.so that nobody can load. */
static char *server_with_broken_counter(const char *folder)
{
	char command[COMMAND_MAX], *server = harness_path(folder, "bin/rr-warden");
	cleanup_free char *top = strdup(harness_server());
	for (int up = 0; up < 2; up++)
		*strrchr(top, '/') = 0;
	snprintf(command, sizeof(command),
	    "cp -r '%s/bin' '%s/libexec' '%s/' && echo broken >'%s/libexec/rr-warden/softpmu.so'",
	    top, top, folder, folder);
	ck_assert_int_eq(system(command), 0);
	return server;
}

START_TEST(a_counter_that_cannot_be_loaded_is_noticed)
{
	char *folder = harness_scratch(0), *server = server_with_broken_counter(folder);
	int status;
	json_auto_t *said = examine("", server, "--pmu=software", &status);
	ck_assert_int_eq(status, 2);
	finding_on(said, "recording", "problem");
	free(server);
	harness_scratch_free(folder);
}
END_TEST

START_TEST(people_read_one_line_for_each_finding)
{
	char command[COMMAND_MAX], line[COMMAND_MAX];
	int findings = 0;
	snprintf(command, sizeof(command), "'%s' doctor --no-record", harness_server());
	FILE *pipe = popen(command, "re");
	ck_assert_ptr_nonnull(pipe);
	while (fgets(line, sizeof(line), pipe) != NULL)
		findings += strncmp(line, "ok  ", 4) == 0 || strncmp(line, "warning ", 8) == 0;
	ck_assert_int_ge(findings, 6);
	ck_assert_int_ne(WEXITSTATUS(pclose(pipe)), 2);
}
END_TEST

/* root can write everywhere, but not below a file. */
START_TEST(where_no_trace_can_be_put_nothing_works)
{
	int status;
	json_auto_t *said = examine("", harness_server(), "--trace-dir=/etc/passwd/x", &status);
	const json_t *finding = finding_on(said, "traces", "problem");
	expect_within(finding, "text", "/etc/passwd/x cannot be written: /etc/passwd");
	expect_within(finding, "fix", "--trace-dir=");
	ck_assert_int_eq(status, 2);
}
END_TEST

START_TEST(an_rr_that_may_not_be_executed_is_not_called_missing)
{
	char *folder = harness_scratch(0), options[COMMAND_MAX], prefix[COMMAND_MAX];
	cleanup_free char *rr = harness_path(folder, "rr");
	harness_write_file(rr, "#!/bin/sh\n");
	snprintf(options, sizeof(options), "'--rr=%s'", rr);
	snprintf(prefix, sizeof(prefix), "PATH='%s'", folder);
	const char *const ways[][2] = {{"", options}, {prefix, ""}};
	for (size_t i = 0; i < 2; i++) {
		int status;
		json_auto_t *said = examine(ways[i][0], harness_server(), ways[i][1], &status);
		const json_t *finding = finding_on(said, "rr", "problem");
		expect_within(finding, "text", "you may not execute it");
		expect_within(finding, "text", rr);
		expect_within(finding, "fix", "chmod a+rx");
		ck_assert_int_eq(status, 2);
	}
	harness_scratch_free(folder);
}
END_TEST

/* What was not tried is not said to work. */
START_TEST(it_promises_only_what_it_tried)
{
	static const char *const ways[][3] = {{"", "", "Recording and replaying work here"},
	    {"", "--no-record", "not tried"}, {"--record=no", "", "not tried"}};
	for (size_t i = 0; i < 3; i++) {
		char command[COMMAND_MAX], text[COMMAND_MAX];
		snprintf(command, sizeof(command), "'%s' %s doctor %s | tail -n 1",
		    harness_server(), ways[i][0], ways[i][1]);
		FILE *pipe = popen(command, "re");
		ck_assert_ptr_nonnull(pipe);
		ck_assert_ptr_nonnull(fgets(text, sizeof(text), pipe));
		pclose(pipe);
		ck_assert_msg(strstr(text, ways[i][2]) != NULL, "%s", text);
		ck_assert_int_eq(strstr(text, "not tried") == NULL, i == 0);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {where_no_trace_can_be_put_nothing_works,
	    an_rr_that_may_not_be_executed_is_not_called_missing, it_promises_only_what_it_tried,
	    well_means_recorded_and_replayed, a_list_of_sources_that_others_can_write_is_a_warning,
	    what_is_missing_is_a_problem_with_a_fix, in_a_container_it_names_the_way_to_replay,
	    a_counter_that_cannot_be_loaded_is_noticed, people_read_one_line_for_each_finding,
	    it_names_the_switch_that_is_off, it_names_a_chroot_as_the_reason,
	    it_says_whose_word_a_setting_is, NULL};
	return scene_main("doctor", tests, (const char *const[]){NULL});
}
