/*
 * rr_lines_executed: the counts are those that the program's source says, and those of single
 * steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define SOURCE	  "tests/programs/lines.c"
#define LINES_MAX 200
#define STEPS_MAX 600
#define NO_CODE	  -1

/* The count of each line in an answer; NO_CODE where it shows none. */
static void read_counts(const json_t *answer, long counts[LINES_MAX])
{
	const char *row = answer_text(answer, "source");

	for (int i = 0; i < LINES_MAX; i++)
		counts[i] = NO_CODE;
	while (row && *row) {
		char *end;
		long first = strtol(row, &end, 10), second = strtol(end, NULL, 10);
		bool counted = row[7] != ' ';

		if (counted && second > 0 && second < LINES_MAX)
			counts[second] = first;
		row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL;
	}
}

static json_t *ask(struct scene *scene, const char *location)
{
	return client_tool(scene->client, "rr_lines_executed", "{s:s}", "location", location);
}

/* Compares with what the comments of the source say, from one line on to another. */
static void expect_comments(const long counts[LINES_MAX], int from, int to, bool exact_only)
{
	FILE *file = fopen(SOURCE, "r");
	char text[200];
	int compared = 0;

	ck_assert_ptr_nonnull(file);
	for (int line = 1; fgets(text, sizeof(text), file); line++) {
		const char *said = strstr(text, "/* ran ");

		if (!said || line < from || line > to || (exact_only && !strstr(said, ": exactly")))
			continue;
		ck_assert_msg(counts[line] == strtol(said + 7, NULL, 10), "line %d: %ld, but %s",
		    line, counts[line], said);
		compared++;
	}
	fclose(file);
	ck_assert_int_gt(compared, 0);
}

START_TEST(each_line_of_a_file_has_the_count_that_it_ran)
{
	static const char *const programs[] = {"lines", "lines_O2"};
	cleanup_scene struct scene scene = scene_open(programs[_i], NULL);
	long counts[LINES_MAX];

	json_auto_t *answer = ask(&scene, "lines.c");
	read_counts(answer, counts);
	expect_comments(counts, 1, LINES_MAX - 1, _i == 1);
	ck_assert_ptr_null(answer_at(answer, "cut_off"));
}
END_TEST

/* How often single steps over calls come to each instruction of the function. */
struct landing {
	unsigned long long address;
	long line, count;
};

static size_t step_through(struct scene *scene, const char *function, struct landing *landings)
{
	size_t known = 0, i;

	scene_run_to(scene, function);
	/* The breakpoint is behind the function's first instructions. */
	client_tool_done(scene->client, "rr_finish", "{s:b}", "reverse", 1);
	client_tool_done(scene->client, "rr_step", "{s:s}", "unit", "instruction");
	for (int steps = 0; steps < STEPS_MAX; steps++) {
		json_auto_t *stack =
		    client_tool(scene->client, "rr_backtrace", "{s:i}", "max_depth", 1);
		json_auto_t *pc = client_tool(
		    scene->client, "rr_evaluate", "{s:s}", "expression", "(unsigned long) $pc");
		unsigned long long address = strtoull(answer_text(pc, "value"), NULL, 0);
		bool inside = strcmp(answer_text(stack, "frames.0.function"), function) == 0;

		for (i = 0; i < known && landings[i].address != address; i++)
			;
		if (inside && i == known)
			landings[known++] =
			    (struct landing){address, (long)answer_line(stack, "frames.0"), 0};
		if (inside)
			landings[i].count++;
		if (!inside)
			return known;
		client_tool_done(scene->client, "rr_next", "{s:s}", "unit", "instruction");
	}
	ck_abort_msg("%s does not end", function);
	return 0;
}

/* The count is that of one of the line's instructions; and 0 only if none of them ran. */
static void expect_stepped(const struct landing *landings, size_t known, long line, long count)
{
	bool any = false, equal = false;

	for (size_t i = 0; i < known; i++) {
		any |= landings[i].line == line;
		equal |= landings[i].line == line && landings[i].count == count;
	}
	ck_assert_msg(count ? equal : !any, "line %ld: %ld", line, count);
}

START_TEST(the_counts_of_a_function_are_those_of_single_steps)
{
	cleanup_scene struct scene scene = scene_open("lines", NULL);
	struct landing landings[STEPS_MAX] = {{0}};
	long counts[LINES_MAX];

	json_auto_t *answer = ask(&scene, "walk");
	read_counts(answer, counts);
	int from = (int)harness_line("lines.c", "long sum = 0;");
	int to = (int)harness_line("lines.c", "return sum;");
	expect_comments(counts, from, to, false);
	ck_assert_int_eq(counts[from - 1], 1);	   /* the opening brace */
	ck_assert_int_eq(counts[to + 4], NO_CODE); /* the next function */
	size_t known = step_through(&scene, "walk", landings);
	for (int line = from; line <= to; line++)
		if (counts[line] != NO_CODE)
			expect_stepped(landings, known, line, counts[line]);
}
END_TEST

START_TEST(a_stretch_counts_what_ran_in_it)
{
	cleanup_scene struct scene scene = scene_open("lines", NULL);
	long counts[LINES_MAX];

	scene_run_to(&scene, "many");
	json_auto_t *when = client_tool(scene.client, "rr_when", NULL);
	json_t *answer = client_tool(scene.client, "rr_lines_executed", "{s:s, s:s}", "location",
	    "lines.c", "to", answer_text(when, "moment"));
	read_counts(answer, counts);
	ck_assert_int_eq(counts[harness_line("lines.c", "seen = seen + by;")], 4);
	json_decref(answer);
	answer = client_tool(scene.client, "rr_lines_executed", "{s:s, s:s}", "location", "lines.c",
	    "from", answer_text(when, "moment"));
	read_counts(answer, counts);
	ck_assert_int_eq(counts[harness_line("lines.c", "seen = seen + by;")], 8);
	json_decref(answer);
}
END_TEST

/* Each pass of a line's only place stops: they are grouped. */
static long count_stops(struct scene *scene, const char *location, const char *from, const char *to)
{
	json_auto_t *answer = client_tool(scene->client, "rr_trace_calls", "{s:s, s:s, s:s*, s:s*}",
	    "location", location, "group_by", "caller", "from", from, "to", to);

	ck_assert_ptr_null(json_object_get(answer, "cut_off"));
	return (long)answer_number(answer, "total");
}

/* By threads, between signals. */
static void expect_stops(struct scene *scene, const char *from, const char *to)
{
	static const struct {
		const char *function, *text;
	} lines[] = {{"work", "turns++; /* worker */"}, {"toggle", "flag = 1; /* again */"},
	    {"on_alarm", "turns++; /* handler */"}};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		int line = (int)harness_line("tallied.c", lines[i].text);
		json_auto_t *location = json_sprintf("tallied.c:%d", line), *answer = NULL;
		long counts[LINES_MAX], stops;

		stops = count_stops(scene, json_string_value(location), from, to);
		answer = client_tool(scene->client, "rr_lines_executed", "{s:s, s:s*, s:s*}",
		    "location", lines[i].function, "from", from, "to", to);
		read_counts(answer, counts);
		ck_assert_ptr_null(json_object_get(answer, "cut_off"));
		ck_assert_msg(counts[line] == stops, "line %d, from %s up to %s: %ld, not %ld",
		    line, from ? from : "the start", to ? to : "the end", counts[line], stops);
	}
}

/* The ends of a stretch are at the line itself: one pass more or less would show. */
START_TEST(lines_have_the_counts_that_stops_give)
{
	cleanup_scene struct scene scene = scene_open("tallied 120", NULL);
	json_auto_t *location =
	    json_sprintf("tallied.c:%lld", harness_line("tallied.c", "turns++; /* worker */"));
	json_auto_t *passes = client_tool(scene.client, "rr_trace_calls", "{s:o, s:i}", "location",
	    json_incref(location), "limit", 400);
	const char *early = answer_text(passes, "hits.40.moment"),
		   *late = answer_text(passes, "hits.90.moment");

	expect_stops(&scene, NULL, NULL);
	expect_stops(&scene, early, late);
}
END_TEST

/* All of them by stops would take longer than a test may. */
START_TEST(lines_that_run_a_million_times_are_counted)
{
	static const char *const locations[] = {"pass", "conditional.c"};
	cleanup_scene struct scene scene = scene_open("conditional 1000000", NULL);
	json_auto_t *answer = ask(&scene, locations[_i]);
	long counts[LINES_MAX];

	read_counts(answer, counts);
	ck_assert_int_eq(counts[harness_line("conditional.c", "volatile int local")], 1000000);
	ck_assert_ptr_null(json_object_get(answer, "cut_off"));
	ck_assert_ptr_null(json_object_get(answer, "never"));
}
END_TEST

/* A forked child has code of its own, and vfork's has its parent's. */
START_TEST(what_a_child_runs_is_not_its_parents)
{
	static const struct {
		const char *program, *function, *file, *text;
		long count;
	} rows[] = {{"tallied 120", "fork_one", "tallied.c", "lone++;", 120},
	    {"vforked", "pass", "vforked.c", "passes += nth;", 3}};
	cleanup_scene struct scene scene = scene_open(rows[_i].program, NULL);
	json_auto_t *answer = ask(&scene, rows[_i].function);
	long counts[LINES_MAX];

	read_counts(answer, counts);
	ck_assert_int_eq(counts[harness_line(rows[_i].file, rows[_i].text)], rows[_i].count);
}
END_TEST

START_TEST(what_never_ran_and_what_is_no_place_is_said)
{
	cleanup_scene struct scene scene = scene_open("lines", NULL);

	/* A function that only exists in its callers. */
	client_tool_refused(
	    scene.client, "rr_lines_executed", "unsupported", "{s:s}", "location", "add");
	json_auto_t *answer = ask(&scene, "not_called");
	expect_within(answer, "conclusion", "0 of 3 lines of not_called");
	expect_answer_within(client_tool_fails(scene.client, "rr_lines_executed",
				 "invalid_argument", "{s:s}", "location", "walkk"),
	    "hint", "walk");
	client_tool_refused(
	    scene.client, "rr_lines_executed", "not_found", "{s:s}", "location", "nothing.c");
	client_tool_refused(scene.client, "rr_lines_executed", "invalid_argument",
	    "{s:s, s:s, s:s}", "location", "walk", "from", "end", "to", "start");
}
END_TEST

/* It has one, but not under the name that is shown. */
START_TEST(a_file_whose_name_is_shown_escaped_is_not_said_to_have_no_line_table)
{
	cleanup_scene struct scene scene = scene_open("misleading_name", NULL);
	expect_answer_within(client_tool_fails(scene.client, "rr_lines_executed", "unsupported",
				 "{s:s}", "location", "main"),
	    "message", "turned\\xe2\\x80\\xae\\x1b.c");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {each_line_of_a_file_has_the_count_that_it_ran, 2},
	    {the_counts_of_a_function_are_those_of_single_steps, 1},
	    {a_stretch_counts_what_ran_in_it, 1},
	    {lines_have_the_counts_that_stops_give, 1},
	    {lines_that_run_a_million_times_are_counted, 2},
	    {what_a_child_runs_is_not_its_parents, 2},
	    {what_never_ran_and_what_is_no_place_is_said, 1},
	    {a_file_whose_name_is_shown_escaped_is_not_said_to_have_no_line_table, 1},
	    {NULL, 0},
	};
	return scene_main_loops("lines", tests,
	    (const char *const[]){"lines", "lines_O2", "tallied 120", "conditional 1000000",
		"misleading_name", "vforked", NULL});
}
