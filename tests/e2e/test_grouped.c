/*
 * Calls that are counted in groups, and summed, where the program runs must be those that stops
 * find. Who asks for results looks at each call: that is the oracle.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/e2e/scene.h"

struct question {
	const char *location, *condition;
};

/* The groups of the calls, with their moments. */
static json_t *groups_of(
    struct scene *scene, const char *location, const char *condition, const char *to, bool by_stops)
{
	json_auto_t *answer = client_tool(scene->client, "rr_trace_calls",
	    "{s:s, s:s*, s:s*, s:s, s:b, s:i}", "location", location, "condition", condition, "to",
	    to, "group_by", "caller", "returns", by_stops, "limit", 1);
	json_t *groups = json_object_get(answer, "groups");

	ck_assert_ptr_null(json_object_get(answer, "cut_off"));
	return json_incref(groups);
}

static void expect_groups(
    struct scene *scene, const char *location, const char *condition, const char *to)
{
	json_auto_t *stops = groups_of(scene, location, condition, to, true);
	json_auto_t *counted = groups_of(scene, location, condition, to, false);
	char *wanted = json_dumps(stops, JSON_INDENT(1)),
	     *got = json_dumps(counted, JSON_INDENT(1));

	ck_assert_int_gt(json_array_size(stops), 0);
	ck_assert_msg(json_equal(stops, counted), "%s where %s, up to %s: %s, not %s", location,
	    condition ? condition : "", to ? to : "the end", got, wanted);
	free(wanted);
	free(got);
}

/* The same counts, first and last calls of each caller. */
START_TEST(callers_are_counted_as_stops_count_them)
{
	static const struct question questions[] = {{"called", NULL}, {"called", "by % 3 == 1"},
	    {"called", "by < 0"}, {"compare", NULL}, {"descend", NULL}};
	cleanup_scene struct scene scene = scene_open("callers", NULL);

	expect_groups(&scene, questions[_i].location, questions[_i].condition, NULL);
}
END_TEST

/* Neither the program nor its library has lines. Which group a call is in, its return address alone
 * does not tell. */
START_TEST(callers_through_a_library_without_lines_are_those_of_stops)
{
	cleanup_scene struct scene scene = scene_open("layers", NULL);

	expect_groups(&scene, "malloc", NULL, NULL);
	expect_groups(&scene, "malloc", "$rdi == 25", NULL);
}
END_TEST

/* With 7 calls of each round: more than stops can count. */
START_TEST(many_calls_through_a_library_without_lines_are_counted)
{
	static const long long calls[] = {12000, 8000, 4000, 4000};
	cleanup_scene struct scene scene = scene_open("layers 4000", NULL);
	json_auto_t *groups = groups_of(&scene, "malloc", "$rdi >= 16 && $rdi <= 26", NULL, false);
	const json_t *group;
	long long total = 0;
	size_t i;

	json_array_foreach(groups, i, group)
	{
		total += answer_number(group, "count");
	}
	ck_assert_int_ge(total, 28000);
	ck_assert_int_lt(total, 28100);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		ck_assert_int_eq(answer_number(json_array_get(groups, i), "count"), calls[i]);
}
END_TEST

static const struct summed {
	const char *location, *condition, *group_by, *sum;
} summed[] = {
    {"called", NULL, NULL, "by"},
    {"called", "by % 3 == 1", NULL, "(long)by << 40"},
    {"descend", NULL, NULL, "-depth"},
    {"called", NULL, NULL, "(unsigned char)by"},
    {"called", NULL, "caller", "by * by"},
    {"called", "by < 0", "caller", "by"},
    {"called", NULL, "by % 7", NULL},
    {"called", NULL, "by & 3", "by - 5"},
    {"called", "by > 3", "(unsigned char)by", "1"},
    {"called", NULL, "by > 7", "sum"},
    {"called", NULL, "by / 2.0", "by"},
    {"compare", NULL, "*(const int *)one", "*(const int *)other"},
};

/* What an answer says of them, without its rows and what it says of these. */
static json_t *sums_of(struct scene *scene, const struct summed *row, bool by_stops)
{
	json_t *answer =
	    client_tool(scene->client, "rr_trace_calls", "{s:s, s:s*, s:s*, s:s*, s:b, s:i, s:b}",
		"location", row->location, "condition", row->condition, "group_by", row->group_by,
		"sum", row->sum, "returns", by_stops, "limit", 1, "count", 1);

	ck_assert_ptr_null(json_object_get(answer, "cut_off"));
	json_object_del(answer, "hits");
	json_object_del(answer, "more");
	return answer;
}

/* The same counts and sums of all, and of each group, by caller or by value. */
START_TEST(sums_are_those_of_stops)
{
	cleanup_scene struct scene scene = scene_open("callers", NULL);
	json_auto_t *stops = sums_of(&scene, &summed[_i], true);
	json_auto_t *counted = sums_of(&scene, &summed[_i], false);
	char *wanted = json_dumps(stops, JSON_INDENT(1));
	char *got = json_dumps(counted, JSON_INDENT(1));

	ck_assert_int_gt(answer_number(stops, "total"), 10);
	ck_assert_msg(json_equal(stops, counted), "%s, not %s", got, wanted);
	free(wanted);
	free(got);
}
END_TEST

static const struct {
	const char *sum;
	long long value;
} sums_of_many[] = {{"i", 3 * 49995000}, {"-(i % 2)", -15000}};

/* Each would be looked at for minutes. */
START_TEST(a_sum_of_many_calls_is_whole)
{
	cleanup_scene struct scene scene = scene_open("callers 10000 quiet", NULL);
	char line[64];

	snprintf(line, sizeof(line), "callers.c:%lld",
	    (long long)harness_line("callers.c", "called(i);"));
	for (size_t i = 0; i < sizeof(sums_of_many) / sizeof(*sums_of_many); i++) {
		json_auto_t *answer = client_tool(scene.client, "rr_trace_calls", "{s:s, s:s, s:i}",
		    "location", line, "sum", sums_of_many[i].sum, "limit", 1);

		ck_assert_int_eq(answer_number(answer, "total"), 30000);
		ck_assert_int_eq(answer_number(answer, "sum"), sums_of_many[i].value);
	}
}
END_TEST

/* It cannot be counted inside, and is tried at several passes: it goes by stops. */
START_TEST(callers_of_more_places_than_registers_are_those_of_stops)
{
	cleanup_scene struct scene scene = scene_open("places", NULL);

	expect_groups(&scene, "many", NULL, NULL);
}
END_TEST

/* The end is a pass that is counted, of a caller of which there are more. */
START_TEST(callers_up_to_a_moment_are_counted_as_stops_count_them)
{
	cleanup_scene struct scene scene = scene_open("callers", NULL);
	json_auto_t *calls = client_tool(scene.client, "rr_trace_calls", "{s:s, s:s, s:i}",
	    "location", "called", "condition", "by == 20", "limit", 3);

	expect_groups(&scene, "called", NULL, answer_text(calls, "hits.2.moment"));
	scene_go(&scene, answer_text(calls, "hits.1.moment"));
	client_tool_done(scene.client, "rr_step", "{s:s}", "unit", "instruction");
	json_auto_t *next = client_tool(scene.client, "rr_when", NULL);
	expect_groups(&scene, "called", NULL, answer_text(next, "moment"));
}
END_TEST

static const struct row {
	const char *line;
	long long count;
	const char *last; /* value of by */
} rows_of_many[] = {
    {"called(i);", 30000, "9999"},
    {"pointer(i);", 10002, "9999"},
    {"inlined(i);", 30000, "9999"},
    {"called(-depth);", 21, "-20"},
    {"called(6); /* once */", 1, "6"},
};

static const json_t *group_at(const json_t *groups, const char *line)
{
	const json_t *group;
	char place[64];
	size_t i;

	snprintf(place, sizeof(place), "callers.c:%lld)", harness_line("callers.c", line));
	json_array_foreach((json_t *)groups, i, group)
	{
		if (strstr(answer_text(group, "key"), place))
			return group;
	}
	ck_abort_msg("no calls from %s", place);
	return NULL;
}

/* Of so many calls, each would be looked at for minutes, and gives up at 20,000. */
START_TEST(callers_of_many_calls_are_counted)
{
	cleanup_scene struct scene scene = scene_open("callers 10000 quiet", NULL);
	json_auto_t *groups = groups_of(&scene, "called", NULL, NULL, false);

	for (size_t i = 0; i < sizeof(rows_of_many) / sizeof(*rows_of_many); i++) {
		const struct row *row = &rows_of_many[i];
		const json_t *group = group_at(groups, row->line);

		ck_assert_int_eq(answer_number(group, "count"), row->count);
		scene_go(&scene, answer_text(group, "last"));
		expect_value(scene.client, "by", row->last);
	}
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {callers_are_counted_as_stops_count_them, 5},
	    {callers_through_a_library_without_lines_are_those_of_stops, 1},
	    {many_calls_through_a_library_without_lines_are_counted, 1},
	    {sums_are_those_of_stops, sizeof(summed) / sizeof(*summed)},
	    {a_sum_of_many_calls_is_whole, 1},
	    {callers_of_more_places_than_registers_are_those_of_stops, 1},
	    {callers_up_to_a_moment_are_counted_as_stops_count_them, 1},
	    {callers_of_many_calls_are_counted, 1},
	    {NULL, 0},
	};
	const char *const programs[] = {
	    "callers", "callers 10000 quiet", "places", "layers", "layers 4000", NULL};

	return scene_main_loops("grouped", tests, programs);
}
