/*
 * An administrator's file, and settings that limit, against who gets round them: by a link below an
 * allowed directory, by 0 where it means no limit, by another rr on PATH. Ordinary users and root
 * are held alike. Needs root, to write the file: in a mount namespace of the test's own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "supervisor/settings.h"
#include "tests/attacks/machine.h"
#include "tests/attacks/stage.h"
#include "tests/runner.h"

static const int users[] = {0, AS_USER};

/* The project has a directory that is granted, and a link in it to one that is not. */
static struct stage furnished(int play)
{
	struct stage stage = stage_open(play, NULL, NULL);

	harness_shell("cd '%s' && mkdir granted outside && ln -s ../outside granted/link && "
		      "chown -R %u granted outside",
	    stage.project, (unsigned)stage.uid);
	return stage;
}

/* ---- The administrator's file -----------------------------------------------------------------
 */

static void write_admin(const struct stage *stage)
{
	char text[4 * TEXT];

	snprintf(text, sizeof(text),
	    "[traces]\nroots = %s\n[recording]\ndirectories = %s/granted\n"
	    "[debugging]\nsources = %s/granted\n[timeouts]\nrecord = 60\n",
	    stage->home, stage->project, stage->project);
	harness_write_file(SETTINGS_FILE, text);
	ck_assert_int_eq(chmod(SETTINGS_FILE, 0644), 0);
}

static void expect_no_start(const struct stage *stage, int play, const char *option)
{
	struct client *client =
	    client_start(&(struct client_options){.args = (const char *const[]){option, NULL},
		.uid = play & AS_USER ? NOBODY : 0,
		.home = stage->home,
		.directory = stage->project,
		.raw = true});

	client_close_stdin(client); /* so that one that starts ends too */
	ck_assert_msg(client_wait_exit(client, HARNESS_TIMEOUT_S) != 0, "%s was granted", option);
	ck_assert_msg(strstr(client_stderr(client), SETTINGS_FILE) != NULL, "%s: %s", option,
	    client_stderr(client));
	client_abandon(client);
}

START_TEST(no_option_exceeds_the_administrators_file)
{
	static const char *const names[] = {"record-directory", "source-dir"};
	char option[TEXT + 64];

	if (!stage_can_play(users[_i]) || !machine_has_keys())
		return;
	struct stage stage = furnished(users[_i]);
	write_admin(&stage);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(option, sizeof(option), "--%s=%s/granted/link", names[i], stage.project);
		expect_no_start(&stage, users[_i], option);
		snprintf(option, sizeof(option), "--%s=%s/outside", names[i], stage.project);
		expect_no_start(&stage, users[_i], option);
		snprintf(option, sizeof(option), "--%s=%s/granted", names[i], stage.project);
		client_end(stage.client);
		stage.client =
		    stage_client(&stage, users[_i], (const char *const[]){option, NULL}, NULL);
	}
	expect_no_start(&stage, users[_i], "--timeout-record=0");
	stage_close(&stage);
}
END_TEST

/* An rr of somebody's own, which says that it ran. */
static void put_rr_on_path(const struct stage *stage, char variable[TEXT])
{
	char text[2 * TEXT], path[TEXT];

	snprintf(path, sizeof(path), "%s/rr", stage->home);
	snprintf(text, sizeof(text), "#!/bin/sh\n: >'%s/was-run'\nexec /usr/bin/rr \"$@\"\n",
	    stage->project);
	harness_write_file(path, text);
	ck_assert_int_eq(chmod(path, 0755), 0);
	snprintf(variable, TEXT, "PATH=%s:/usr/bin:/bin", stage->home);
}

START_TEST(under_an_administrators_file_rr_is_the_machines)
{
	char variable[TEXT], mark[TEXT], directory[TEXT], trace[TEXT];

	if (!stage_can_play(users[_i]) || !machine_has_keys())
		return;
	struct stage stage = furnished(users[_i]);
	put_rr_on_path(&stage, variable);
	snprintf(mark, sizeof(mark), "%s/was-run", stage.project);
	snprintf(directory, sizeof(directory), "%s/granted", stage.project);
	snprintf(trace, sizeof(trace), "%s/granted/trace", stage.project);
	for (int admin = 0; admin < 2; admin++) {
		if (admin)
			write_admin(&stage);
		client_end(stage.client);
		stage.client =
		    stage_client(&stage, users[_i], NULL, (const char *const[]){variable, NULL});
		json_auto_t *answer = client_wait(stage.client,
		    client_tool_send(stage.client, "rr_record",
			json_pack("{s:[s], s:s, s:s}", "command", "/bin/true", "trace_dir", trace,
			    "working_directory", directory)),
		    HARNESS_TIMEOUT_S);
		cleanup_free char *text = answer_show(answer);
		/* a script may find no counter; but it is run where nobody forbids it, or this
		 * shows nothing */
		ck_assert_msg((access(mark, F_OK) == 0) == !admin, "%s", text);
		ck_assert_msg(!admin || !answer_true(answer, "result.isError"), "%s", text);
		harness_shell("rm -rf '%s' '%s'", mark, trace);
	}
	stage_close(&stage);
}
END_TEST

/* ---- In use ------------------------------------------------------------------------------------
 */

START_TEST(a_link_below_an_allowed_directory_leads_nowhere_else)
{
	static const char *const ways[] = {"granted/link", "granted/../outside", "outside"};
	char record[TEXT], root[TEXT], traces[TEXT], path[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage = furnished(_i);
	snprintf(record, sizeof(record), "--record-directory=%s/granted", stage.project);
	snprintf(root, sizeof(root), "--trace-root=%s/granted", stage.project);
	snprintf(traces, sizeof(traces), "--trace-dir=%s/outside", stage.project);
	client_end(stage.client);
	stage.client =
	    stage_client(&stage, _i, (const char *const[]){record, root, traces, NULL}, NULL);
	snprintf(path, sizeof(path), "%s/granted", stage.project);
	client_tool_refused(stage.client, "rr_record", NULL, "{s:[s], s:s}", "command", "/bin/true",
	    "working_directory", path);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char other[TEXT], trace[TEXT + 8];
		snprintf(other, sizeof(other), "%s/%s", stage.project, ways[i]);
		snprintf(trace, sizeof(trace), "%s/new", other);
		client_tool_refused(stage.client, "rr_record", "not_allowed", "{s:[s], s:s}",
		    "command", "/bin/true", "working_directory", other);
		client_tool_refused(stage.client, "rr_record", NULL, "{s:[s], s:s, s:s}", "command",
		    "/bin/true", "working_directory", path, "trace_dir", trace);
		harness_shell("test -z \"$(ls '%s/outside')\"", stage.project);
	}
	snprintf(root, sizeof(root), "%s/granted/new", stage.project); /* or it shows nothing */
	client_tool_done(stage.client, "rr_record", "{s:[s], s:s, s:s}", "command", "/bin/true",
	    "working_directory", path, "trace_dir", root);
	stage_close(&stage);
}
END_TEST

/* Where a name leads is allowed, so it is, by whatever link it is named: in the settings or in the
 * call. The link is where a recording under --trace-root sees nothing else. */
START_TEST(a_link_to_an_allowed_directory_is_allowed)
{
	char record[TEXT + 32], root[TEXT + 32], trace[TEXT + 8], program[TEXT + 8];

	if (!stage_can_play(_i))
		return;
	struct stage stage = furnished(_i);
	cleanup_free char *granted = harness_path(stage.project, "granted");
	cleanup_free char *door = harness_path(stage.folder, "door");
	const char *const names[] = {granted, door};
	harness_shell("cp /bin/true '%s' && ln -s '%s' '%s'", granted, granted, door);
	for (size_t setting = 0; setting < 4; setting++) {
		client_end(stage.client);
		snprintf(record, sizeof(record), "--record-directory=%s", names[setting % 2]);
		snprintf(root, sizeof(root), "--trace-root=%s", names[setting / 2]);
		stage.client =
		    stage_client(&stage, _i, (const char *const[]){record, root, NULL}, NULL);
		for (size_t call = 0; call < 2; call++) {
			snprintf(trace, sizeof(trace), "%s/new", names[call]);
			snprintf(program, sizeof(program), "%s/true", names[call]);
			client_tool_done(stage.client, "rr_record", "{s:[s], s:s, s:s}", "command",
			    program, "working_directory", names[call], "trace_dir", trace);
			client_tool_done(stage.client, "rr_ps", "{s:s}", "trace_dir", trace);
			client_tool_done(stage.client, "rr_rm", "{s:s}", "trace_dir", trace);
		}
	}
	stage_close(&stage);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {no_option_exceeds_the_administrators_file, TIMES(users)},
	    {under_an_administrators_file_rr_is_the_machines, TIMES(users)},
	    {a_link_below_an_allowed_directory_leads_nowhere_else, PLAYS},
	    {a_link_to_an_allowed_directory_is_allowed, PLAYS},
	    {NULL, 0},
	};

	return scene_main_loops("ceilings", tests, (const char *const[]){NULL});
}
