/*
 * rr_trace_calls: the same passes as in a plain run forward, and what each call returned.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"
#include "tests/e2e/sweep.h"

static const struct point points[] = {
    {"touch", false},
    {"set_text", false},
    {NULL, false},
};

static const char *text_at(const json_t *rows, size_t row, const char *name)
{
	return json_string_value(json_object_get(json_array_get(rows, row), name));
}

static void expect_pass(const json_t *rows, size_t row, const struct hit *hit)
{
	char args[64], moment[64];

	snprintf(args, sizeof(args), "who=%lld, round=%lld", hit->who, hit->round);
	snprintf(moment, sizeof(moment), "%lld:%lld", hit->at.event, hit->at.ticks);
	ck_assert_int_eq(
	    json_integer_value(json_object_get(json_array_get(rows, row), "tid")), hit->at.tid);
	ck_assert_str_eq(text_at(rows, row, "args"), args);
	ck_assert_int_eq(strncmp(text_at(rows, row, "moment"), moment, strlen(moment)), 0);
}

/* Passes of a location where the argument is `round`; -1: all passes. */
static void expect_sweep(
    struct client *client, const struct sweep *sweep, int point, long long round)
{
	char condition[32] = "1";
	size_t row = 0;

	if (round >= 0)
		snprintf(condition, sizeof(condition), "round == %lld", round);
	json_auto_t *answer = client_tool(client, "rr_trace_calls", "{s:s, s:s, s:i}", "location",
	    points[point].what, "condition", condition, "limit", 1000);
	const json_t *rows = json_object_get(answer, "hits");
	for (size_t i = 0; i < sweep->hit_count; i++) {
		const struct hit *hit = &sweep->hits[i];

		if (hit->point != point || (round >= 0 && hit->round != round))
			continue;
		ck_assert_uint_lt(row, json_array_size(rows));
		expect_pass(rows, row++, hit);
	}
	ck_assert_uint_eq(row, json_array_size(rows));
	expect_number(answer, "total", (long long)row);
}

static void compare(const char *kind)
{
	cleanup_place struct place place = place_replay("walks", kind);
	struct sweep *sweep = sweep_make(place.client, points);

	for (int point = 0; points[point].what; point++) {
		expect_sweep(place.client, sweep, point, -1);
		expect_sweep(place.client, sweep, point, 5);
	}
	sweep_free(sweep);
}

START_TEST(the_passes_of_several_threads_are_what_a_run_forward_shows)
{
	compare("threads");
}
END_TEST

START_TEST(the_passes_among_signals_are_what_a_run_forward_shows)
{
	compare("signals");
}
END_TEST

static json_t *trace_returns(struct scene *scene, const char *location)
{
	return client_tool(
	    scene->client, "rr_trace_calls", "{s:s, s:b}", "location", location, "returns", 1);
}

START_TEST(each_call_tells_what_it_returned_recursion_included)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);
	static const char *const factorials[] = {"120", "24", "6", "2", "1"};

	json_t *answer = trace_returns(&scene, "factorial");
	expect_number(answer, "total", 5);
	for (size_t i = 0; i < 5; i++)
		ck_assert_str_eq(
		    text_at(json_object_get(answer, "hits"), i, "returned"), factorials[i]);
	json_decref(answer);
	expect_answer(trace_returns(&scene, "half"), "hits.0.returned", "2.5");
	answer = trace_returns(&scene, "run");
	ck_assert_ptr_null(answer_at(answer, "hits.0.returned")); /* void */
	ck_assert_int_ge(answer_number(answer, "hits.0.events"), 10);
	json_decref(answer);
}
END_TEST

START_TEST(a_call_that_was_left_otherwise_is_not_said_to_return)
{
	struct scene scene = scene_open("histories", NULL);
	json_auto_t *answer = trace_returns(&scene, "leave");
	expect_number(answer, "total", 2);
	ck_assert_ptr_null(answer_at(answer, "hits.0.returned"));
	ck_assert_ptr_nonnull(answer_at(answer, "hits.0.back_at"));
	expect_within(answer, "hits.1.returned", "longjmp");
	ck_assert_ptr_null(answer_at(answer, "hits.1.back_at"));
	scene_close(&scene);

	scene = scene_open("thrower", NULL);
	expect_all(trace_returns(&scene, "work::Part::checked"), NUMBER("total", 3),
	    IS("hits.0.returned", "1"), IS("hits.1.returned", "4"),
	    IS("hits.2.returned", "<left without a return>"));
	expect_all(trace_returns(&scene, "work::count"), IS("hits.1.returned", "5"),
	    IS("hits.2.returned", "0"));
	expect_all(trace_returns(&scene, "work::refuse"), NUMBER("total", 1),
	    IS("hits.0.returned", "<left without a return>"), ABSENT("hits.0.back_at"));
	scene_close(&scene);
}
END_TEST

#define INLINED "the compiler put this call into its caller"

START_TEST(a_call_without_a_frame_of_its_own_has_no_result)
{
	cleanup_scene struct scene scene = scene_open("returns_inlined", NULL);
	for (int limit = 1; limit <= 4; limit++) {
		json_auto_t *answer =
		    client_tool(scene.client, "rr_trace_calls", "{s:s, s:b, s:i, s:b}", "location",
			"thrice", "returns", 1, "limit", limit, "count", 1);
		const json_t *rows = json_object_get(answer, "hits");

		expect_number(answer, "total", 4);
		for (int row = 0; row < limit; row++) {
			if (row == 3)
				ck_assert_str_eq(text_at(rows, 3, "returned"), "15");
			else
				ck_assert_ptr_nonnull(
				    strstr(text_at(rows, (size_t)row, "returned"), INLINED));
		}
	}
}
END_TEST

/* What comes behind the limit belongs to no row. */
START_TEST(a_call_that_was_left_does_not_take_the_next_ones_result)
{
	cleanup_scene struct scene scene = scene_open("returns_inlined", NULL);
	for (int limit = 1; limit <= 3; limit++) {
		json_auto_t *answer =
		    client_tool(scene.client, "rr_trace_calls", "{s:s, s:b, s:i, s:b}", "location",
			"leave_once", "returns", 1, "limit", limit, "count", 1);

		expect_number(answer, "total", 3);
		expect_text(answer, "hits.0.returned", "<left without a return>");
		ck_assert_ptr_null(answer_at(answer, "hits.0.back_at"));
		if (limit > 1)
			expect_text(answer, "hits.1.returned", "41");
	}
}
END_TEST

START_TEST(passes_are_counted_by_caller_and_by_value)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);

	json_auto_t *answer =
	    client_tool(scene.client, "rr_trace_calls", "{s:s, s:s, s:[s,s], s:i}", "location",
		"add", "group_by", "amount % 3", "evaluate", "block->sum", "nosuch", "limit", 2);
	expect_number(answer, "total", 10);
	ck_assert_uint_eq(answer_count(answer, "hits"), 2);
	expect_text(answer, "groups.0.key", "1");
	expect_number(answer, "groups.0.count", 4);
	expect_number(answer, "groups.2.count", 3);
	expect_text(answer, "hits.1.args", "amount=2");
	expect_within(answer, "hits.1.caller", "run (");
	const json_t *evaluated = answer_at(answer, "hits.1.evaluated");
	ck_assert_str_eq(json_string_value(json_object_get(evaluated, "block->sum")), "1");
	ck_assert_ptr_nonnull(
	    strstr(json_string_value(json_object_get(evaluated, "nosuch")), "No symbol"));
	expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:s}", "location",
		       "factorial", "group_by", "caller"),
	    NUMBER("groups.0.count", 4), NUMBER("groups.1.count", 1), ABSENT("hits"),
	    ABSENT("more"), HAS("conclusion", "first at "));
}
END_TEST

/* They have several ways in, and gdb's places are some of them, or in front of a loop. */
START_TEST(every_pass_of_an_inlined_function_is_counted)
{
	static const struct {
		const char *location;
		int total;
	} passes[] = {
	    {"check", 6}, {"inlined_passes.c:38", 6}, {"norm", 6}, {"add", 6}, {"stage", 5}};
	static const char *const programs[] = {"inlined_passes", "inlined_passes_O2"};
	cleanup_scene struct scene scene = scene_open(programs[_i], NULL);

	for (size_t i = 0; i < sizeof(passes) / sizeof(*passes); i++) {
		for (int limit = 1; limit <= 7; limit += 6)
			expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:i, s:b}",
				       "location", passes[i].location, "limit", limit, "count", 1),
			    NUMBER("total", passes[i].total), ABSENT("warnings"));
	}
	expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:s}", "location", "norm",
		       "condition", "x == 6"),
	    NUMBER("total", 1), HAS("hits.0.args", "shift=6.5"));
}
END_TEST

static void run_on(struct client *client, const char *direction, int hits, const char *reason)
{
	for (int i = 0; i < hits; i++)
		expect_all(
		    client_tool(client, "rr_continue", "{s:b}", "reverse", direction[0] == 'b'),
		    NUMBER("breakpoint", 1), HAS("frame.function", "norm"));
	expect_all(client_tool(client, "rr_continue", "{s:b}", "reverse", direction[0] == 'b'),
	    IS("reason", reason));
}

START_TEST(a_breakpoint_at_several_ways_in_is_one)
{
	cleanup_scene struct scene scene = scene_open("inlined_passes_O2", NULL);
	struct client *client = scene.client;

	client_tool_done(client, "rr_breakpoint_set", "{s:s}", "location", "norm");
	run_on(client, "forward", 6, "end");
	expect_all(client_tool(client, "rr_breakpoint_list", NULL), NUMBER("breakpoints.0.hits", 6),
	    COUNT("breakpoints", 1));
	expect_all(client_tool(client, "rr_last_time", "{s:s, s:s}", "location", "norm",
		       "condition", "x == 6"),
	    HAS("frame.function", "norm"));
	run_on(client, "backward", 6, "start");
	client_tool_done(client, "rr_breakpoint_update", "{s:i, s:s}", "breakpoint_number", 1,
	    "condition", "x > 5");
	run_on(client, "forward", 3, "end");
	run_on(client, "backward", 3, "start");
	client_tool_done(
	    client, "rr_breakpoint_update", "{s:i, s:b}", "breakpoint_number", 1, "enabled", 0);
	run_on(client, "forward", 0, "end");
	client_tool_done(client, "rr_breakpoint_remove", "{s:i}", "breakpoint_number", 1);
	run_on(client, "backward", 0, "start");
	run_on(client, "forward", 0, "end");
}
END_TEST

START_TEST(what_is_beyond_the_limit_is_counted_up_to_the_end_of_the_stretch)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);
	json_auto_t *all = client_tool(scene.client, "rr_trace_calls", "{s:s}", "location", "add");
	const char *seventh = answer_text(all, "hits.6.moment");

	expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:i, s:b, s:s}", "location",
		       "add", "limit", 3, "count", 1, "to", seventh),
	    NUMBER("total", 7), COUNT("hits", 3), HAS("more", "4 more"));
	expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:s}", "location", "add",
		       "from", seventh),
	    NUMBER("total", 3));
}
END_TEST

START_TEST(what_matches_nothing_or_would_change_the_program_is_said_so)
{
	cleanup_scene struct scene scene = scene_open("histories", NULL);
	static const struct {
		const char *location, *condition, *code, *said;
	} cases[] = {
	    {"ad", "1", "invalid_argument", "not defined"},
	    {"histories.c:9999", "1", "invalid_argument", "line 9999"},
	    {"add", "nosuch == 1", "invalid_argument", "No symbol"},
	    {"add", "amount = 3", "not_allowed", "changes the program"},
	    {"add", "half(2.0) > 0", "not_allowed", "calls"},
	};

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "half");
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		json_auto_t *failure =
		    client_tool_fails(scene.client, "rr_trace_calls", cases[i].code, "{s:s, s:s}",
			"location", cases[i].location, "condition", cases[i].condition);
		ck_assert_msg(strstr(answer_text(failure, "message"), cases[i].said) != NULL,
		    "%s: %s", cases[i].condition, answer_text(failure, "message"));
	}
	expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:s}", "location", "add",
		       "condition", "amount > 99"),
	    NUMBER("total", 0), HAS("conclusion", "nothing passed"));
	client_tool_refused(scene.client, "rr_trace_calls", "invalid_argument", "{s:s, s:b}",
	    "location", "histories.c:30", "returns", 1);
	json_auto_t *after = client_tool(scene.client, "rr_when", NULL);
	ck_assert(json_equal(before, after));
	expect_all(client_tool(scene.client, "rr_continue", NULL), NUMBER("breakpoint", 1));
}
END_TEST

/* The code that counted one place stays a while; what it counts is nobody's then. */
START_TEST(what_was_counted_before_does_not_add_to_what_is_counted_now)
{
	static const struct {
		const char *location;
		int total;
	} asked[] = {{"check", 6}, {"norm", 6}, {"check", 6}, {"stage", 5}, {"norm", 6}, {"add", 6},
	    {"check", 6}, {"inlined_passes.c:38", 6}, {"stage", 5}};
	cleanup_scene struct scene scene = scene_open("inlined_passes", NULL);

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		json_auto_t *answer = client_tool(scene.client, "rr_trace_calls", "{s:s, s:i, s:b}",
		    "location", asked[i].location, "limit", 1, "count", 1);
		ck_assert_msg(answer_number(answer, "total") == asked[i].total,
		    "%zu: %lld times through %s", i, answer_number(answer, "total"),
		    asked[i].location);
	}
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {the_passes_of_several_threads_are_what_a_run_forward_shows, 1},
	    {the_passes_among_signals_are_what_a_run_forward_shows, 1},
	    {each_call_tells_what_it_returned_recursion_included, 1},
	    {a_call_that_was_left_otherwise_is_not_said_to_return, 1},
	    {a_call_without_a_frame_of_its_own_has_no_result, 1},
	    {a_call_that_was_left_does_not_take_the_next_ones_result, 1},
	    {passes_are_counted_by_caller_and_by_value, 1},
	    {every_pass_of_an_inlined_function_is_counted, 2},
	    {a_breakpoint_at_several_ways_in_is_one, 1},
	    {what_was_counted_before_does_not_add_to_what_is_counted_now, 1},
	    {what_is_beyond_the_limit_is_counted_up_to_the_end_of_the_stretch, 1},
	    {what_matches_nothing_or_would_change_the_program_is_said_so, 1},
	    {NULL, 0},
	};
	const char *const programs[] = {
	    "histories", "thrower", "returns_inlined", "inlined_passes", "inlined_passes_O2", NULL};

	return scene_main_loops("trace_calls", tests, programs);
}
