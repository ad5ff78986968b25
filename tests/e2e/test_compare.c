/*
 * rr_compare_runs: where two runs of a program part, which its source says and its own log shows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define COMPARE_S 290
#define RUNS	  8

static const char *const arguments[RUNS] = {
    "3", "50", "007", "3", "threads", "threads2", "busy", "3"};
enum { FEW, MANY, ZEROS, FEW_AGAIN, THREADS, THREADS_MANY, BUSY, LOGGED };

static struct place place;

/* Records a run with its argument, once; the caller frees the path. */
static char *run_of(int run)
{
	char *path;

	if (asprintf(&path, "%s/run%d", place.folder, run) < 0)
		abort();
	if (access(path, F_OK) == 0)
		return path;
	json_decref(client_tool_result(place.client,
	    client_tool_send(place.client, "rr_record",
		json_pack("{s:[s, s], s:s}", "command", harness_program("parted"), arguments[run],
		    "trace_dir", path)),
	    COMPARE_S));
	return path;
}

static json_t *compare(int good, int bad, const char *more)
{
	char *one = run_of(good), *other = run_of(bad);
	json_t *args = more ? json_loads(more, 0, NULL) : json_object(), *answer;

	json_object_set_new(args, "good", json_string(one));
	json_object_set_new(args, "bad", json_string(other));
	answer = client_tool_result(
	    place.client, client_tool_send(place.client, "rr_compare_runs", args), COMPARE_S);
	free(one);
	free(other);
	return answer;
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

START_TEST(runs_part_at_the_branch_that_took_another_way)
{
	place = place_open();
	int line = line_of("parts here with a number");
	json_t *answer = compare(FEW, MANY, "{\"probes\": [\"total\", \"item->count\"]}");

	expect_within(answer, "conclusion", "the runs part after discount (");
	expect_at(answer, "conclusion", line);
	expect_at(answer, "good.at", line + 3);
	expect_at(answer, "bad.at", line + 1);
	ck_assert(has_text(answer, "values", "item->count: good 3, bad 50"));
	ck_assert(has_text(answer, "probes", "total: 20 in both"));
	ck_assert(has_text(answer, "probes_after", "item->count: good 3, bad 50"));
	ck_assert_ptr_nonnull(answer_at(answer, "probes_before"));
	/* The moments are good in sessions on these traces. */
	for (int run = 0; run < 2; run++) {
		char *trace = run_of(run ? MANY : FEW);
		json_t *stop;

		json_decref(
		    client_tool(place.client, "rr_replay_start", "{s:s}", "trace_dir", trace));
		stop = client_tool(place.client, "rr_goto", "{s:s}", "moment",
		    answer_text(answer, run ? "bad.next" : "good.next"));
		expect_line(stop, "frame", run ? line + 1 : line + 3);
		json_decref(stop);
		json_decref(client_tool(place.client, "rr_replay_stop", NULL));
		free(trace);
	}
	json_decref(answer);
	place_close(&place);
}
END_TEST

START_TEST(runs_of_the_same_way_differ_in_nothing)
{
	place = place_open();
	json_t *answer = compare(FEW, FEW_AGAIN, NULL);

	expect_within(answer, "conclusion", "both runs went the same way");
	expect_within(answer, "conclusion", "11 calls, and each line");
	expect_text(answer, "output", "the same in both");
	ck_assert_ptr_null(answer_at(answer, "libraries"));
	json_decref(answer);
	place_close(&place);
}
END_TEST

START_TEST(a_run_compared_with_itself_differs_in_nothing)
{
	place = place_open();
	json_t *answer = compare(THREADS, THREADS, NULL);

	expect_within(answer, "conclusion", "both runs went the same way");
	json_decref(answer);
	place_close(&place);
}
END_TEST

/* atoi goes once round for each digit. */
START_TEST(a_difference_in_the_library_only_names_the_line_that_called_it)
{
	place = place_open();
	json_t *answer = compare(FEW, ZEROS, NULL);

	expect_within(answer, "conclusion", "both runs went the same way");
	expect_at(answer, "libraries", line_of("count = atoi(how)"));
	/* 7 items are not 3. */
	ck_assert_uint_eq(json_array_size(answer_at(answer, "output")), 1);
	json_decref(answer);
	place_close(&place);
}
END_TEST

START_TEST(threads_are_compared_each_with_its_own)
{
	place = place_open();
	json_t *answer = compare(THREADS, THREADS_MANY, NULL);

	expect_at(answer, "conclusion", line_of("\"threads2\") == 0"));
	expect_at(answer, "bad.at", line_of("\"threads2\") == 0") + 1);
	json_decref(answer);
	place_close(&place);
}
END_TEST

START_TEST(a_limit_that_is_reached_is_said)
{
	place = place_open();
	json_t *answer = compare(BUSY, BUSY, "{\"limit\": 100}");

	expect_within(answer, "conclusion", "the same as far as they were compared: 100 calls");
	expect_within(answer, "cut_off", "higher limit");
	ck_assert_ptr_nonnull(answer_at(answer, "bad.reached"));
	json_decref(answer);
	place_close(&place);
}
END_TEST

START_TEST(what_cannot_be_compared_says_why)
{
	place = place_open();
	char *run = run_of(FEW), *other;
	json_t *failure;

	if (asprintf(&other, "%s/lines", place.folder) < 0)
		abort();
	json_decref(client_tool_result(place.client,
	    client_tool_send(place.client, "rr_record",
		json_pack("{s:[s], s:s}", "command", harness_program("lines"), "trace_dir", other)),
	    COMPARE_S));
	failure = client_tool_fails(place.client, "rr_compare_runs", "invalid_argument",
	    "{s:s, s:s}", "good", run, "bad", other);
	expect_within(failure, "message", "different programs");
	json_decref(failure);
	json_decref(client_tool_fails(place.client, "rr_compare_runs", "not_found", "{s:s, s:s}",
	    "good", run, "bad", "/tmp/no-such-trace"));
	json_decref(client_tool_fails(place.client, "rr_compare_runs", "not_found",
	    "{s:s, s:s, s:i}", "good", run, "bad", run, "bad_pid", 77777));
	json_decref(client_tool_fails(place.client, "rr_compare_runs", "not_allowed",
	    "{s:s, s:s, s:[s]}", "good", run, "bad", run, "probes", "$_shell(\"id\")"));
	free(run);
	free(other);
	place_close(&place);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {runs_part_at_the_branch_that_took_another_way,
	    runs_of_the_same_way_differ_in_nothing, a_run_compared_with_itself_differs_in_nothing,
	    a_difference_in_the_library_only_names_the_line_that_called_it,
	    threads_are_compared_each_with_its_own, a_limit_that_is_reached_is_said,
	    what_cannot_be_compared_says_why, NULL};

	return scene_main("compare", tests, (const char *const[]){NULL});
}
