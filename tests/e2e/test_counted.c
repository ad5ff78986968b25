/*
 * What is counted where the program runs, without stops, must be what stops count. A call that
 * groups its passes looks at each of them: it is the oracle.
 */
#include <check.h>
#include <stdlib.h>
#include "tests/e2e/scene.h"

static long long total_of(struct scene *scene, const char *location, const char *condition,
    const char *group_by, int limit)
{
	json_t *arguments = json_pack("{s:s, s:i}", "location", location, "limit", limit);
	long long total;

	if (condition)
		json_object_set_new(arguments, "condition", json_string(condition));
	if (group_by)
		json_object_set_new(arguments, "group_by", json_string(group_by));
	json_auto_t *answer = client_tool(scene->client, "rr_trace_calls", "o", arguments);
	total = json_integer_value(json_object_get(answer, "total"));
	ck_assert_ptr_null(json_object_get(answer, "cut_off"));
	return total;
}

struct question {
	const char *location, *condition;
};

static void expect_counts(struct scene *scene, const struct question *questions, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct question *question = &questions[i];
		long long stops =
		    total_of(scene, question->location, question->condition, "caller", 1);

		ck_assert_int_gt(stops, 1);
		for (int limit = 1; limit <= 4; limit += 3)
			ck_assert_msg(total_of(scene, question->location, question->condition, NULL,
					  limit) == stops,
			    "%s where %s, after %d: not %lld", question->location,
			    question->condition ? question->condition : "", limit, stops);
	}
}

/* Threads, signals, fork and exec, recursion; return and jump run outside of the code cache. */
START_TEST(passes_are_counted_as_stops_count_them)
{
	static const struct question questions[] = {
	    {"ping", NULL},
	    {"ping", "number % 7 == 3"},
	    {"ping", "number < 2 || number > 55"},
	    {"on_alarm", NULL},
	    {"deep", NULL},
	    {"deep", "depth > 17"},
	    {"returns", NULL},
	    {"jumps", NULL},
	};
	cleanup_scene struct scene scene = scene_open("passes", NULL);

	expect_counts(&scene, questions, sizeof(questions) / sizeof(*questions));
}
END_TEST

/* Conditions that cannot be told at some passes, or not in the cache at all. */
START_TEST(what_has_to_be_judged_by_gdb_is_counted_too)
{
	static const struct question questions[] = {
	    {"pass", "pointer && *pointer < 0"},
	    {"pass", "number % 2 == 0"},
	    {"pass", "ratio > 1"},
	    {"pass", "own % 2 == 1"},
	    {"pass", "100 / (nth % 3) == 100"},
	};
	cleanup_scene struct scene scene = scene_open("conditional 40", NULL);

	expect_counts(&scene, questions, sizeof(questions) / sizeof(*questions));
}
END_TEST

/* Each stop would take milliseconds, and all of them longer than a test may. */
START_TEST(a_million_passes_are_counted)
{
	cleanup_scene struct scene scene = scene_open("conditional 1000000", NULL);

	ck_assert_int_eq(total_of(&scene, "pass", NULL, NULL, 2), 1000000);
	ck_assert_int_eq(total_of(&scene, "pass", "nth % 4 == 1", NULL, 2), 250000);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    passes_are_counted_as_stops_count_them,
	    what_has_to_be_judged_by_gdb_is_counted_too,
	    a_million_passes_are_counted,
	    NULL,
	};
	const char *const programs[] = {"passes", "conditional 40", "conditional 1000000", NULL};

	return scene_main("counted", tests, programs);
}
