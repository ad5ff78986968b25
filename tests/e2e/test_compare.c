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
#define LOG_MAX	     65536

/* Arguments of the program ways, for two runs of each: the second is the first, or parts from it.
 */
static const struct {
	const char *good, *bad;
} ways[] = {
    {"ways 1 30 0 0", "ways 1 30 0 3"}, {"ways 2 40 1 0", "ways 2 40 1 9"},
    {"ways 3 60 45 0", "ways 3 60 45 5"}, {"ways 5 50 10 21", "ways 5 50 10 22"},
    {"ways 6 20 0 0", "ways 6 25 0 0"}, /* one ends earlier */
    {"ways 7 20 10 1", "ways 7 20 10 1 "},
    {"ways 8 250 230 0", "ways 8 250 230 5"}, /* too long for lines from the start */
};

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

/* The lines that a run passes, from the program's own log. Returns how many. */
static size_t log_of(const char *run, int lines[LOG_MAX])
{
	char command[300], name[16], arguments[80], line[16];
	size_t count = 0;
	FILE *log;

	ck_assert_int_eq(sscanf(run, "%15s %79[^\n]", name, arguments), 2);
	cleanup_free char *program = harness_program(name);
	snprintf(command, sizeof(command), "'%s' %s", program, arguments);
	log = popen(command, "r");
	ck_assert_ptr_nonnull(log);
	while (count < LOG_MAX && fgets(line, sizeof(line), log))
		lines[count++] = (int)strtol(line, NULL, 10);
	pclose(log);
	return count;
}

START_TEST(the_runs_part_where_the_programs_own_log_says)
{
	static int logs[2][LOG_MAX];
	const size_t good = log_of(ways[_i].good, logs[0]), bad = log_of(ways[_i].bad, logs[1]);
	json_auto_t *answer = compare(ways[_i].good, ways[_i].bad, NULL);
	size_t at = 0;

	ck_assert_uint_gt(good, 0);
	while (at < good && at < bad && logs[0][at] == logs[1][at])
		at++;
	if (at == good && at == bad) {
		expect_within(answer, "conclusion", "both runs went the same way");
	} else {
		ck_assert(at < good && at < bad);
		expect_line(answer, "good", logs[0][at]);
		expect_line(answer, "bad", logs[1][at]);
		expect_moment(ways[_i].bad, answer_text(answer, "bad.next"), logs[1][at]);
	}
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
	const struct looped tests[] = {
	    {runs_part_at_the_branch_that_took_another_way, 1},
	    {runs_of_the_same_way_differ_in_nothing, 1},
	    {a_run_compared_with_itself_differs_in_nothing, 1},
	    {a_difference_in_the_library_only_names_the_line_that_called_it, 1},
	    {threads_are_compared_each_with_its_own, 1},
	    {the_runs_part_where_the_programs_own_log_says, TIMES(ways)},
	    {a_limit_that_is_reached_is_said, 1},
	    {what_cannot_be_compared_says_why, 1},
	    {NULL, 0},
	};
	const char *programs[16 + 2 * TIMES(ways)] = {
	    FEW, FEW_AGAIN, MANY, ZEROS, THREADS, THREADS_MANY, BUSY, "lines"};
	size_t count = 8;

	for (size_t i = 0; i < TIMES(ways); i++) {
		programs[count++] = ways[i].good;
		programs[count++] = ways[i].bad;
	}
	return scene_main_loops("compare", tests, programs);
}
