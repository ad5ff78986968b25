/*
 * What is counted where the program runs, without stops, must be what stops count. A call that
 * groups its passes by what gdb alone can evaluate looks at each of them: it is the oracle.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

enum { PASSES_SHOWN = 20 };

#define BY_STOPS "1.5" /* gdb cannot hand over a fraction */

/* to: NULL: the end */
static long long total_up_to(struct scene *scene, const char *location, const char *condition,
    const char *to, const char *group_by, int limit)
{
	json_t *arguments = json_pack(
	    "{s:s, s:i, s:b, s:s*}", "location", location, "limit", limit, "count", 1, "to", to);
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

static long long total_of(struct scene *scene, const char *location, const char *condition,
    const char *group_by, int limit)
{
	return total_up_to(scene, location, condition, NULL, group_by, limit);
}

struct question {
	const char *location, *condition;
};

static void expect_counts(struct scene *scene, const struct question *questions, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct question *question = &questions[i];
		long long stops =
		    total_of(scene, question->location, question->condition, BY_STOPS, 1);

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
	    {"ping", "number < 2 || number > 25"},
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

/* The moments of the first passes, each of which a stop showed. */
static json_t *moments_of(struct scene *scene, const char *location, const char *condition)
{
	json_t *moments = json_array(), *hit;
	size_t i;
	json_auto_t *answer = client_tool(scene->client, "rr_trace_calls", "{s:s, s:s*, s:i}",
	    "location", location, "condition", condition, "limit", PASSES_SHOWN);

	json_array_foreach(json_object_get(answer, "hits"), i, hit)
	    json_array_append(moments, json_object_get(hit, "moment"));
	return moments;
}

static void expect_last(
    struct scene *scene, const char *location, const char *condition, const char *wanted)
{
	json_auto_t *answer = NULL;

	if (!wanted) {
		client_tool_refused(scene->client, "rr_last_time", "not_found", "{s:s, s:s*}",
		    "location", location, "condition", condition);
		return;
	}
	answer = client_tool(scene->client, "rr_last_time", "{s:s, s:s*}", "location", location,
	    "condition", condition);
	ck_assert_msg(strcmp(answer_text(answer, "moment"), wanted) == 0, "%s where %s: %s, not %s",
	    location, condition ? condition : "", answer_text(answer, "moment"), wanted);
}

/* At a pass, the last one is that before it: the breakpoint that counts is also what ends the
 * count. One instruction on, it is that pass. */
START_TEST(the_last_pass_is_the_one_that_a_stop_showed)
{
	static const struct question questions[] = {
	    {"ping", NULL},
	    {"ping", "number % 7 == 3"},
	    {"on_alarm", NULL},
	    {"deep", "depth > 17"},
	    {"returns", NULL},
	};
	cleanup_scene struct scene scene = scene_open("passes", NULL);

	for (size_t q = 0; q < sizeof(questions) / sizeof(*questions); q++) {
		const char *location = questions[q].location, *condition = questions[q].condition;
		json_auto_t *moments = moments_of(&scene, location, condition);
		size_t count = json_array_size(moments);

		ck_assert_int_gt(count, 1);
		for (size_t i = 0; i < count; i += i < 1 ? 1 : 16) {
			scene_go(&scene, json_string_value(json_array_get(moments, i)));
			expect_last(&scene, location, condition,
			    i ? json_string_value(json_array_get(moments, i - 1)) : NULL);
			client_tool_done(scene.client, "rr_step", "{s:s}", "unit", "instruction");
			expect_last(&scene, location, condition,
			    json_string_value(json_array_get(moments, i)));
		}
	}
}
END_TEST

static void expect_up_to(struct scene *scene, const struct question *question, const char *to)
{
	long long stops =
	    total_up_to(scene, question->location, question->condition, to, BY_STOPS, 1);
	long long counted =
	    total_up_to(scene, question->location, question->condition, to, NULL, 1);

	ck_assert_msg(counted == stops, "%s where %s, up to %s: %lld, not %lld", question->location,
	    question->condition ? question->condition : "", to, counted, stops);
}

/* The end is one of the passes themselves, which belongs to the stretch, or the instruction behind
 * it, or an event at which nothing can stop. */
START_TEST(passes_up_to_a_moment_are_counted_as_stops_count_them)
{
	static const struct question questions[] = {{"ping", NULL}, {"deep", "depth > 17"}};
	const struct question *question = &questions[_i];
	cleanup_scene struct scene scene = scene_open("passes", NULL);
	json_auto_t *moments = moments_of(&scene, question->location, NULL), *next, *event;
	const char *to = json_string_value(json_array_get(moments, json_array_size(moments) - 1));

	scene_go(&scene, to);
	client_tool_done(scene.client, "rr_step", "{s:s}", "unit", "instruction");
	next = client_tool(scene.client, "rr_when", NULL);
	event = json_sprintf("%lld", answer_event(next, "moment"));
	expect_up_to(&scene, question, to);
	expect_up_to(&scene, question, answer_text(next, "moment"));
	expect_up_to(&scene, question, json_string_value(event));
	expect_up_to(&scene, &questions[!_i], to);
}
END_TEST

/* A breakpoint of the client's is in the way of a condition, also while it is disabled. */
START_TEST(passes_are_counted_at_a_breakpoint_of_the_client)
{
	cleanup_scene struct scene scene = scene_open("conditional 1000000", NULL);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "pass");
	ck_assert_int_eq(total_of(&scene, "pass", NULL, NULL, 2), 1000000);
	client_tool_done(scene.client, "rr_continue", NULL);
	expect_value(scene.client, "nth", "0");
	client_tool_done(scene.client, "rr_continue", NULL);
	expect_value(scene.client, "nth", "1");
}
END_TEST

/* Neither the passes nor the end, which is passed as often, stop. */
START_TEST(a_million_passes_are_counted_up_to_the_middle)
{
	cleanup_scene struct scene scene = scene_open("conditional 1000000", NULL);
	json_auto_t *middle = NULL;
	const char *to;

	scene_go(&scene, "end");
	middle = client_tool(scene.client, "rr_last_time", "{s:s, s:s}", "location", "pass",
	    "condition", "nth == 500000");
	to = answer_text(middle, "moment");
	ck_assert_int_eq(total_up_to(&scene, "pass", NULL, to, NULL, 2), 500001);
	ck_assert_int_eq(total_up_to(&scene, "pass", "nth % 4 == 1", to, NULL, 2), 125000);
}
END_TEST

/* All of them lie behind one event, and most passes on the way are left out. */
START_TEST(each_of_a_million_passes_can_be_gone_to)
{
	static const int numbers[] = {20, 37, 4711, 500000, 999998};
	cleanup_scene struct scene scene = scene_open("conditional 1000000", NULL);

	/* A breakpoint of the client's there is no stop on the way. */
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "pass");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		json_auto_t *condition = json_sprintf("nth == %d", numbers[i]), *found = NULL;
		json_auto_t *value = json_sprintf("%d", numbers[i]), *when = NULL;

		scene_go(&scene, "end");
		found = client_tool(scene.client, "rr_last_time", "{s:s, s:O}", "location", "pass",
		    "condition", condition);
		scene_go(&scene, answer_text(found, "moment"));
		expect_value(scene.client, "nth", json_string_value(value));
		when = client_tool(scene.client, "rr_when", NULL);
		ck_assert_str_eq(answer_text(when, "moment"), answer_text(found, "moment"));
	}
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
	ck_assert_int_eq(total_of(&scene, "*pass", NULL, NULL, 2), 1000000);
	ck_assert_int_eq(total_of(&scene, "pass", "nth % 4 == 1", NULL, 2), 250000);
}
END_TEST

/* The counter of branches destroys the flags before the counted instruction, so a stop between the
 * two runs that instruction here. */
START_TEST(a_pass_counts_once_however_a_signal_interrupts_it)
{
	cleanup_scene struct scene scene = scene_open("spun", NULL);
	char expected[32];

	snprintf(
	    expected, sizeof(expected), "%lld", total_of(&scene, "*spin_first", NULL, NULL, 1));
	scene_go(&scene, "end");
	expect_value(scene.client, "rounds * 100", expected);
}
END_TEST

/* What ends a thread's turn can lie right before the counted instruction: rr then goes there from
 * one breakpoint of its own to the next, in steps. That is so in one recording of three. */
START_TEST(a_pass_counts_once_however_rr_comes_to_it)
{
	cleanup_place struct place place = place_replay("tallied", "400");
	char location[40];

	snprintf(location, sizeof(location), "tallied.c:%lld",
	    harness_line("tallied.c", "/* worker */"));
	expect_all(client_tool(place.client, "rr_trace_calls", "{s:s, s:i, s:b}", "location",
		       location, "limit", 1, "count", 1),
	    NUMBER("total", 3 * 400), ABSENT("cut_off"));
}
END_TEST

/* vfork's child passes in its parent's memory, and nobody debugs it: rr itself would meet a
 * breakpoint there for ever. */
START_TEST(passes_of_a_vforked_child_are_not_the_parents)
{
	static const char *const sums[] = {"1", "22", "43"}; /* behind the parent's passes */
	cleanup_scene struct scene scene = scene_open("vforked", NULL);

	for (int limit = 1; limit <= 4; limit += 3) {
		ck_assert_int_eq(total_of(&scene, "pass", NULL, BY_STOPS, limit), 3);
		ck_assert_int_eq(total_of(&scene, "pass", NULL, NULL, limit), 3);
		ck_assert_int_eq(total_of(&scene, "pass", "nth < 5", NULL, limit), 3);
		ck_assert_int_eq(total_of(&scene, "pass", "nth > 5", NULL, limit), 0);
	}
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "pass");
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		client_tool_done(scene.client, "rr_continue", NULL);
		client_tool_done(scene.client, "rr_finish", NULL);
		expect_value(scene.client, "passes", sums[i]);
	}
	client_tool_done(scene.client, "rr_continue", NULL);
	for (size_t i = 3; i-- > 0;) {
		client_tool_done(scene.client, "rr_continue", "{s:b}", "reverse", 1);
		expect_value(scene.client, "nth", "1");
	}
	scene_go(&scene, "end");
	json_auto_t *last = client_tool(
	    scene.client, "rr_last_time", "{s:s, s:[s]}", "location", "pass", "evaluate", "passes");
	ck_assert_str_eq(
	    json_string_value(json_object_get(answer_at(last, "evaluated"), "passes")), "42");
}
END_TEST

/* Backward, forward from a place in the middle, and from one that the condition names. */
START_TEST(the_last_of_a_million_passes_is_found)
{
	cleanup_scene struct scene scene = scene_open("conditional 1000000", NULL);
	json_t *answer;

	scene_go(&scene, "end");
	answer = client_tool(scene.client, "rr_last_time", "{s:s, s:[s], s:b}", "location", "pass",
	    "evaluate", "nth", "move", 1);
	ck_assert_str_eq(
	    json_string_value(json_object_get(answer_at(answer, "evaluated"), "nth")), "999999");
	json_decref(answer);
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", "pass",
	    "condition", "nth % 1000 == 7");
	client_tool_done(scene.client, "rr_continue", "{s:b}", "reverse", 1);
	expect_value(scene.client, "nth", "999007");
	client_tool_done(scene.client, "rr_continue", "{s:b}", "reverse", 1);
	expect_value(scene.client, "nth", "998007");
	answer = client_tool(scene.client, "rr_last_time", "{s:s, s:s, s:[s]}", "location", "pass",
	    "condition", "nth < 500001", "evaluate", "nth");
	ck_assert_str_eq(
	    json_string_value(json_object_get(answer_at(answer, "evaluated"), "nth")), "500000");
	json_decref(answer);
}
END_TEST

static const struct {
	const char *name;
} allocators[] = {{"malloc"}, {"calloc"}, {"free"}};

/* From main on: the address is not mapped before. */
static long long total_at(struct scene *scene, const char *location)
{
	json_auto_t *now = client_tool(scene->client, "rr_when", NULL);
	json_auto_t *answer = client_tool(scene->client, "rr_trace_calls", "{s:s, s:s, s:b, s:i}",
	    "location", location, "from", answer_text(now, "moment"), "count", 1, "limit", 1);

	return answer_number(answer, "total");
}

/* With glibc's debug symbols the loader has inlined functions of these names, which call them. */
START_TEST(a_call_by_the_loader_counts_once)
{
	cleanup_scene struct scene scene = scene_open_at("reloads", "main");
	const char *name = allocators[_i].name;
	char expression[40], location[40];

	snprintf(expression, sizeof(expression), "(long)&%s", name);
	json_auto_t *address =
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", expression);
	snprintf(location, sizeof(location), "*%s", answer_text(address, "value"));
	ck_assert_int_gt(total_at(&scene, location), 1);
	ck_assert_int_eq(total_at(&scene, name), total_at(&scene, location));
}
END_TEST

/* Not in an inlined function of the loader's: those are in include/rtld-malloc.h. */
static void expect_body(struct scene *scene)
{
	json_auto_t *frames = client_tool(scene->client, "rr_backtrace", "{s:i}", "max_depth", 1);
	cleanup_free char *shown = json_dumps(frames, JSON_COMPACT);

	ck_assert_msg(!strstr(shown, "rtld-malloc"), "%s", shown);
}

/* The same at the start, where the loader alone has places of these names; and back from the end.
 */
START_TEST(calls_of_an_allocator_are_in_its_body)
{
	cleanup_scene struct scene scene = scene_open("reloads", NULL);
	const char *name = allocators[_i].name;
	json_auto_t *calls =
	    client_tool(scene.client, "rr_trace_calls", "{s:s, s:i}", "location", name, "limit", 1);

	scene_go(&scene, answer_text(calls, "hits.0.moment"));
	expect_body(&scene);
	scene_go(&scene, "end");
	json_auto_t *last =
	    client_tool(scene.client, "rr_last_time", "{s:s, s:b}", "location", name, "move", 1);
	expect_body(&scene);
	json_auto_t *later = client_tool(scene.client, "rr_trace_calls", "{s:s, s:s, s:b, s:i}",
	    "location", name, "from", answer_text(last, "moment"), "count", 1, "limit", 1);
	expect_number(later, "total", 0);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {passes_are_counted_as_stops_count_them, 1},
	    {the_last_pass_is_the_one_that_a_stop_showed, 1},
	    {passes_up_to_a_moment_are_counted_as_stops_count_them, 2},
	    {passes_are_counted_at_a_breakpoint_of_the_client, 1},
	    {a_million_passes_are_counted_up_to_the_middle, 1},
	    {each_of_a_million_passes_can_be_gone_to, 1},
	    {what_has_to_be_judged_by_gdb_is_counted_too, 1},
	    {a_million_passes_are_counted, 1},
	    {a_pass_counts_once_however_a_signal_interrupts_it, 1},
	    {a_pass_counts_once_however_rr_comes_to_it, 8},
	    {passes_of_a_vforked_child_are_not_the_parents, 1},
	    {the_last_of_a_million_passes_is_found, 1},
	    {a_call_by_the_loader_counts_once, 3},
	    {calls_of_an_allocator_are_in_its_body, 3},
	    {NULL, 0},
	};
	const char *const programs[] = {
	    "passes", "reloads", "conditional 40", "conditional 1000000", "spun", "vforked", NULL};

	return scene_main_loops("counted", tests, programs);
}
