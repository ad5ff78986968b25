/*
 * Names that lead elsewhere between the moment in which they are judged and the one in which they
 * are used. Each change happens at that moment, and not by luck: see snare.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/attacks/snare.h"
#include "tests/attacks/stage.h"
#include "tests/runner.h"

static bool can_play(int play)
{
	if (geteuid() != 0)
		puts("skipped: only root can hold the monitor's processes");
	return geteuid() == 0 && stage_can_play(play);
}

/* The answer to a recording of `command` whose printed text shows what ran, and where. */
static json_t *record(struct stage *stage, const char *directory, const char *command)
{
	return client_wait(stage->client,
	    client_tool_send(stage->client, "rr_record",
		json_pack("{s:[s,s,s,s], s:s, s:s}", "command", command, "/bin/sh", "-c",
		    "echo REACHED; pwd -P", "working_directory", directory, "trace_dir",
		    stage->trace)),
	    HARNESS_TIMEOUT_S);
}

static bool has_run(const json_t *answer)
{
	const char *printed =
	    json_string_value(answer_at(answer, "result.structuredContent.stdout"));

	return printed && strstr(printed, "REACHED");
}

/* A worker has been started, and so the monitor is there. */
static void warm_up(struct stage *stage)
{
	client_tool_refused(
	    stage->client, "rr_traceinfo", NULL, "{s:s}", "trace_dir", "/no/such/trace");
}

START_TEST(a_program_whose_link_changes_is_the_one_that_was_checked)
{
	char link[TEXT], swap[3 * TEXT];

	if (!can_play(_i))
		return;
	struct stage stage =
	    stage_open(_i, (const char *const[]){"--record-command=/usr/bin/true", NULL}, NULL);

	snprintf(link, sizeof(link), "%s/t", stage.project);
	harness_shell("ln -s /usr/bin/true '%s'", link);
	snprintf(swap, sizeof(swap), "ln -sfn /usr/bin/env '%s'", link);
	warm_up(&stage);
	pid_t snare = snare_set(client_pid(stage.client), SNARE_RECORDS, NULL, swap);
	json_auto_t *answer = record(&stage, stage.project, link);
	cleanup_free char *shown = answer_show(answer);
	snare_expect_sprung(snare, shown);
	ck_assert_msg(!has_run(answer), "%s", shown);
	/* the one that was checked ran, or nothing is shown */
	ck_assert_int_eq(answer_number(answer, "result.structuredContent.exit_code"), 0);
	stage_close(&stage);
}
END_TEST

START_TEST(a_program_starts_where_its_directory_was_when_it_was_judged_or_not_at_all)
{
	char directory[TEXT], swap[4 * TEXT];

	if (!can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	cleanup_free char *home = realpath(stage.home, NULL);

	snprintf(directory, sizeof(directory), "%s/work/spot", home);
	harness_shell("mkdir '%s' && chown %u '%s'", directory, (unsigned)stage.uid, directory);
	snprintf(swap, sizeof(swap), "mv '%s' '%s.old' && ln -s '%s/.ssh' '%s'", directory,
	    directory, home, directory);
	json_auto_t *before = record(&stage, directory, "/usr/bin/env");
	cleanup_free char *started = answer_show(before);
	ck_assert_msg(has_run(before), "%s", started);
	harness_shell("rm -r '%s'", stage.trace);
	pid_t snare = snare_set(client_pid(stage.client), SNARE_ENTERS, directory, swap);
	json_auto_t *answer = record(&stage, directory, "/usr/bin/env");
	cleanup_free char *shown = answer_show(answer);
	snare_expect_sprung(snare, shown);
	ck_assert_msg(!has_run(answer), "%s", shown);
	stage_close(&stage);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_program_whose_link_changes_is_the_one_that_was_checked, PLAYS},
	    {a_program_starts_where_its_directory_was_when_it_was_judged_or_not_at_all, PLAYS},
	    {NULL, 0},
	};

	return scene_main_loops("swapped", tests, (const char *const[]){NULL});
}
