/*
 * rr_value_history with changes that the software counter counts must count what stops count. A
 * place that takes two of the processor's registers stops at each change: the same variable with
 * the unused bytes behind it is the oracle.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define CALM	"tallied 220 without-signals"
#define SIGNALS "tallied 220"
#define MANY	"tallied 30000 counter"
#define LONG	"tallied 300000000 counter"
#define ROUNDS	10000 /* of which nearly all are counted where the program runs */
#define ALL	"tallied 10000 without-signals"
#define STOPS	100 /* that it begins with, and up to NOTED that gdb notes in the meantime */
#define NOTED	100

static json_t *history(struct scene *scene, const char *expression, int length)
{
	json_t *args = json_pack("{s:s, s:i}", "expression", expression, "limit", 1);
	json_t *answer;

	if (length)
		json_object_set_new(args, "length", json_integer(length));
	answer = client_tool(scene->client, "rr_value_history", "o", args);
	ck_assert_ptr_null(json_object_get(answer, "cut_off"));
	return answer;
}

static const struct variable {
	const char *name;
	int length; /* with unused bytes */
} variables[] = {
    {"turns", 6},
    {"flag", 3},
    {"received", 6},
    {"counter", 6},
    {"mixed", 6},
    {"wide.right", 3},
    {"lone", 6},
    {"row.cells[7]", 6},
};

/* In both ways: all counts, and the first and last moment of each place. */
static void expect_both(struct scene *scene, const struct variable *variable)
{
	static const char *const names[] = {"total", "by"};
	char address[40];

	snprintf(address, sizeof(address), "&%s", variable->name);
	json_auto_t *tallied = history(scene, variable->name, 0);
	json_auto_t *stopped = history(scene, address, variable->length);
	ck_assert_int_gt(answer_number(stopped, "total"), STOPS + NOTED);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const json_t *one = json_object_get(tallied, names[i]),
			     *other = json_object_get(stopped, names[i]);
		cleanup_free char *text = json_dumps(one, JSON_ENCODE_ANY);
		cleanup_free char *right = json_dumps(other, JSON_ENCODE_ANY);

		ck_assert_msg(json_equal(one, other), "%s of %s: %s, not %s", names[i],
		    variable->name, text, right);
	}
}

/* Each in a test of its own: a hit in a repeated instruction costs hundreds of stops. */
START_TEST(what_is_counted_is_what_stops_count)
{
	cleanup_scene struct scene scene = scene_open(CALM, NULL);

	expect_both(&scene, &variables[_i]);
}
END_TEST

START_TEST(what_is_counted_among_signals_is_what_stops_count)
{
	cleanup_scene struct scene scene = scene_open(SIGNALS, NULL);

	expect_both(&scene, &variables[_i]);
}
END_TEST

/* How often rr has told gdb that a watchpoint was hit, and how many changes there were. */
static size_t shown(const char *name, long long *total)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *log = harness_path(folder, "log");
	const char *const args[] = {"--log", log, "--log-level=gdb", NULL};
	const struct client_options options = {.args = args};
	struct scene scene = scene_open(CALM, &options);
	json_auto_t *answer = history(&scene, name, 0);
	cleanup_free char *text = NULL;

	*total = answer_number(answer, "total");
	scene_close(&scene);
	text = harness_file(log);
	return harness_count(text, "watch:");
}

/* A few more for each place. */
START_TEST(few_changes_stop)
{
	static const char *const names[] = {"turns", "flag", "counter", "lone"};
	long long total;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t stops = shown(names[i], &total);

		ck_assert_int_gt(total, STOPS + NOTED + 30);
		ck_assert_msg(stops >= STOPS && stops < STOPS + NOTED + 30,
		    "%zu stops for %lld changes of %s", stops, total, names[i]);
	}
}
END_TEST

/* The run to the last change begins at one of the changes that stop in between. */
START_TEST(the_last_of_many_changes_is_found)
{
	cleanup_scene struct scene scene = scene_open(MANY, NULL);
	json_auto_t *answer = history(&scene, "alone", 0);

	expect_number(answer, "total", 30000);
	expect_number(answer, "by.0.write", 30000);
	client_tool_done(
	    scene.client, "rr_goto", "{s:s}", "moment", answer_text(answer, "by.0.last"));
	expect_value(scene.client, "alone", "30000");
}
END_TEST

/* What the program does, by arithmetic. */
static const struct by {
	const char *variable, *function;
	long long changes;
} places[] = {
    {"turns", "work", 3LL * ROUNDS},
    {"flag", "set_flag", ROUNDS},
    {"flag", "clear_flag", ROUNDS},
    {"flag", "toggle", ROUNDS / 5},
    {"counter", "count", 2LL * ROUNDS + (2LL * ROUNDS + 2) / 3 + 1},
    {"wide.right", "store_wide", 2LL * ROUNDS + 2LL * ROUNDS / 5},
    {"lone", "fork_one", 2LL * ROUNDS},
    {"own[0]", "fill", 2LL * ROUNDS},
    {NULL, NULL, 0},
};

/* By function. */
static void expect_places(struct scene *scene, const char *variable)
{
	json_auto_t *answer = history(scene, variable, 0);
	long long total = 0;

	for (const struct by *place = places; place->variable; place++) {
		long long counted = 0;
		const json_t *row;
		size_t i;

		if (strcmp(place->variable, variable) != 0)
			continue;
		json_array_foreach(json_object_get(answer, "by"), i, row)
		{
			if (strcmp(answer_text(row, "frame.function"), place->function) == 0)
				counted += answer_number(row, "write");
		}
		ck_assert_msg(counted == place->changes, "%lld of %lld changes of %s by %s",
		    counted, place->changes, variable, place->function);
		total += place->changes;
	}
	expect_number(answer, "total", total);
}

START_TEST(many_changes_are_counted_by_function)
{
	static const char *const names[] = {
	    "turns", "flag", "counter", "wide.right", "lone", "own[0]"};
	cleanup_scene struct scene scene = scene_open_at(ALL, "fill");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		expect_places(&scene, names[i]);
}
END_TEST

/* The address of a thread's variable is known in the thread. */
START_TEST(changes_through_a_segment_are_what_stops_count)
{
	cleanup_scene struct scene scene = scene_open_at(CALM, "fill");

	expect_both(&scene, &(const struct variable){"own[0]", 6});
}
END_TEST

/* `alone` grows by one, so its value says how often it has changed. */
START_TEST(what_a_deadline_cuts_off_is_counted_up_to_the_moment_that_it_names)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);
	json_auto_t *answer = client_tool(scene.client, "rr_value_history", "{s:s, s:i, s:i}",
	    "expression", "alone", "limit", 1, "deadline", 2);
	const char *from = strstr(answer_text(answer, "cut_off"), "from=");
	cleanup_free char *moment = NULL;
	char total[32];

	ck_assert_ptr_nonnull(from);
	moment = strndup(from + 5, strcspn(from + 5, ","));
	snprintf(total, sizeof(total), "%lld", answer_number(answer, "total"));
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", moment);
	expect_value(scene.client, "alone", total);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {what_is_counted_is_what_stops_count, TIMES(variables)},
	    {what_is_counted_among_signals_is_what_stops_count, 3},
	    {many_changes_are_counted_by_function, 1},
	    {changes_through_a_segment_are_what_stops_count, 1},
	    {few_changes_stop, 1},
	    {the_last_of_many_changes_is_found, 1},
	    {what_a_deadline_cuts_off_is_counted_up_to_the_moment_that_it_names, 1},
	    {NULL, 0},
	};
	const char *const programs[] = {CALM, SIGNALS, MANY, LONG, ALL, NULL};

	return scene_main_loops("tallied", tests, programs);
}
