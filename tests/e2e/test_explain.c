/*
 * `rr-warden explain`: a crash's report, the origin of the bad address and its last writer, for
 * people and for the summary of a CI job.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define COMMAND_MAX 8192

struct said {
	char text[65536];
	int status;
};

static void explain(struct said *said, const char *trace, const char *more)
{
	char command[COMMAND_MAX];

	snprintf(
	    command, sizeof(command), "'%s' explain '%s' %s 2>&1", harness_server(), trace, more);
	FILE *pipe = popen(command, "re");
	ck_assert_ptr_nonnull(pipe);
	said->text[fread(said->text, 1, sizeof(said->text) - 1, pipe)] = 0;
	int status = pclose(pipe);
	ck_assert(WIFEXITED(status));
	said->status = WEXITSTATUS(status);
}

/* Finds a text behind the one before; returns where it ends. */
static const char *expect_next(const char *from, const char *text)
{
	const char *at = strstr(from, text);

	ck_assert_msg(at != NULL, "no %s in %s", text, from);
	return at + strlen(text);
}

START_TEST(a_crash_is_followed_to_the_line_that_broke_it)
{
	struct said said = {0};

	explain(&said, scene_trace("list_corruption"), "");
	ck_assert_int_eq(said.status, 0);
	const char *at = expect_next(said.text, "What ended it\n\nSIGSEGV in report_total");
	at = expect_next(at, "Where the bad address comes from\n");
	at = expect_next(at, "list_corruption.c:43");
	at = expect_next(at, "Who wrote it last\n");
	at = expect_next(at, "session_touch");
	expect_next(at, "list_corruption.c:43");
	ck_assert_ptr_null(strstr(said.text, "session: s"));
	ck_assert_ptr_null(strstr(said.text, "##"));
}
END_TEST

/* A value that was only ever on the stack has its last writer there. */
START_TEST(a_null_pointer_is_followed_to_its_constant)
{
	struct said said = {0};

	explain(&said, scene_trace("crash"), "");
	ck_assert_int_eq(said.status, 0);
	const char *at = expect_next(said.text, "comes from a constant in the code");
	at = expect_next(at, "find_customer");
	at = expect_next(at, "Who wrote it last\n");
	expect_next(at, "read_name wrote");
}
END_TEST

START_TEST(a_summary_is_markdown_with_the_programs_words_in_code)
{
	struct said said = {0};

	explain(&said, scene_trace("crash"), "--markdown");
	const char *at =
	    expect_next(said.text, "# Why the program ended\n\n## What ended it\n\n```\n");
	at = expect_next(at, "\n```\n\n## Where the bad address comes from\n\n```\n");
	expect_next(at, "\n```\n\n## Who wrote it last\n\n```\n");
}
END_TEST

START_TEST(what_a_program_prints_does_not_leave_its_block)
{
	cleanup_place struct place place = place_open();
	struct said said = {0};

	json_decref(client_tool(place.client, "rr_record", "{s:[s,s,s], s:s}", "command", "/bin/sh",
	    "-c", "printf '````\\n<img src=x>\\n'; kill -SEGV $$", "trace_dir", place.trace));
	explain(&said, place.trace, "--markdown");
	const char *at = expect_next(said.text, "## What ended it\n\n`````\n");
	at = expect_next(at, "\n````\n<img src=x>");
	expect_next(at, "\n`````\n");
}
END_TEST

START_TEST(what_cannot_be_explained_ends_with_2)
{
	static const char *const more[] = {"", "--bogus", "another"};
	struct said said = {0};

	explain(&said, _i == 0 ? "/nowhere" : scene_trace("crash"), more[_i]);
	ck_assert_int_eq(said.status, 2);
	expect_next(said.text, "rr-warden: ");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{a_crash_is_followed_to_the_line_that_broke_it, 1},
	    {a_null_pointer_is_followed_to_its_constant, 1},
	    {a_summary_is_markdown_with_the_programs_words_in_code, 1},
	    {what_a_program_prints_does_not_leave_its_block, 1},
	    {what_cannot_be_explained_ends_with_2, 3}, {NULL, 0}};

	return scene_main_loops(
	    "explain", tests, (const char *const[]){"list_corruption", "crash", NULL});
}
