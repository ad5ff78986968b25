/*
 * rr_compare_runs: where two runs of a program part, which its source says and its own log shows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define COMPARE_S    290
#define FEW	     "parted 3"
#define FEW_AGAIN    "parted 3 " /* recorded once more */
#define MANY	     "parted 50"
#define ZEROS	     "parted 007"
#define THREADS	     "parted threads"
#define THREADS_MANY "parted threads2"
#define BUSY	     "parted busy"

static json_t *compare(const char *good, const char *bad, const char *more)
{
	cleanup_client struct client *client = client_start(NULL);
	json_t *args = more ? json_loads(more, 0, NULL) : json_object();

	json_object_set_new(args, "good", json_string(scene_trace(good)));
	json_object_set_new(args, "bad", json_string(scene_trace(bad)));
	return client_tool_result(
	    client, client_tool_send(client, "rr_compare_runs", args), COMPARE_S);
}

/* The line of the source with a comment. */
static int line_of(const char *comment)
{
	FILE *file = fopen("tests/programs/parted.c", "r");
	char text[200];
	int line = 0;

	ck_assert_ptr_nonnull(file);
	while (fgets(text, sizeof(text), file)) {
		line++;
		if (strstr(text, comment))
			break;
	}
	fclose(file);
	return line;
}

static void expect_at(const json_t *answer, const char *path, int line)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "parted.c:%d", line);
	expect_within(answer, path, wanted);
}

static bool has_text(const json_t *answer, const char *name, const char *part)
{
	json_t *text;
	size_t i;

	json_array_foreach(json_object_get(answer, name), i, text)
	{
		if (strstr(json_string_value(text), part))
			return true;
	}
	return false;
}

/* The moment is good in a session on the run's trace. */
static void expect_moment(const char *run, const char *moment, int line)
{
	cleanup_scene struct scene scene = scene_open(run, NULL);

	expect_all(
	    client_tool(scene.client, "rr_goto", "{s:s}", "moment", moment), LINE("frame", line));
}

START_TEST(runs_part_at_the_branch_that_took_another_way)
{
	int line = line_of("parts here with a number");
	json_auto_t *answer = compare(FEW, MANY, "{\"probes\": [\"total\", \"item->count\"]}");

	expect_within(answer, "conclusion", "the runs part after discount (");
	expect_at(answer, "conclusion", line);
	expect_at(answer, "good.at", line + 3);
	expect_at(answer, "bad.at", line + 1);
	ck_assert(has_text(answer, "values", "item->count: good 3, bad 50"));
	ck_assert(has_text(answer, "probes", "total: 20 in both"));
	ck_assert(has_text(answer, "probes_after", "item->count: good 3, bad 50"));
	ck_assert_ptr_nonnull(answer_at(answer, "probes_before"));
	expect_moment(FEW, answer_text(answer, "good.next"), line + 3);
	expect_moment(MANY, answer_text(answer, "bad.next"), line + 1);
}
END_TEST

START_TEST(runs_of_the_same_way_differ_in_nothing)
{
	expect_all(compare(FEW, FEW_AGAIN, NULL), HAS("conclusion", "both runs went the same way"),
	    HAS("conclusion", "11 calls, and each line"), IS("output", "the same in both"),
	    ABSENT("libraries"));
}
END_TEST

START_TEST(a_run_compared_with_itself_differs_in_nothing)
{
	expect_all(
	    compare(THREADS, THREADS, NULL), HAS("conclusion", "both runs went the same way"));
}
END_TEST

/* atoi goes once round for each digit. */
START_TEST(a_difference_in_the_library_only_names_the_line_that_called_it)
{
	json_auto_t *answer = compare(FEW, ZEROS, NULL);

	expect_within(answer, "conclusion", "both runs went the same way");
	expect_at(answer, "libraries", line_of("count = atoi(how)"));
	/* 7 items are not 3. */
	ck_assert_uint_eq(json_array_size(answer_at(answer, "output")), 1);
}
END_TEST

START_TEST(threads_are_compared_each_with_its_own)
{
	json_auto_t *answer = compare(THREADS, THREADS_MANY, NULL);

	expect_at(answer, "conclusion", line_of("\"threads2\") == 0"));
	expect_at(answer, "bad.at", line_of("\"threads2\") == 0") + 1);
}
END_TEST

START_TEST(a_limit_that_is_reached_is_said)
{
	expect_all(compare(BUSY, BUSY, "{\"limit\": 100}"),
	    HAS("conclusion", "the same as far as they were compared: 100 calls"),
	    HAS("cut_off", "higher limit"), PRESENT("bad.reached"));
}
END_TEST

START_TEST(what_cannot_be_compared_says_why)
{
	cleanup_client struct client *client = client_start(NULL);
	const char *run = scene_trace(FEW);

	expect_answer_within(client_tool_fails(client, "rr_compare_runs", "invalid_argument",
				 "{s:s, s:s}", "good", run, "bad", scene_trace("lines")),
	    "message", "different programs");
	client_tool_refused(client, "rr_compare_runs", "not_found", "{s:s, s:s}", "good", run,
	    "bad", "/tmp/no-such-trace");
	client_tool_refused(client, "rr_compare_runs", "not_found", "{s:s, s:s, s:i}", "good", run,
	    "bad", run, "bad_pid", 77777);
	client_tool_refused(client, "rr_compare_runs", "not_allowed", "{s:s, s:s, s:[s]}", "good",
	    run, "bad", run, "probes", "$_shell(\"id\")");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {runs_part_at_the_branch_that_took_another_way,
	    runs_of_the_same_way_differ_in_nothing, a_run_compared_with_itself_differs_in_nothing,
	    a_difference_in_the_library_only_names_the_line_that_called_it,
	    threads_are_compared_each_with_its_own, a_limit_that_is_reached_is_said,
	    what_cannot_be_compared_says_why, NULL};
	const char *const programs[] = {
	    FEW, FEW_AGAIN, MANY, ZEROS, THREADS, THREADS_MANY, BUSY, "lines", NULL};

	return scene_main("compare", tests, programs);
}
