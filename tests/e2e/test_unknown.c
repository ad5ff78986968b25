/*
 * Names of functions: a body without debug information is counted once, also where a stub leads to
 * it, and a name that nothing has is an error even while no library is loaded.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define RETHROW "std::rethrow_exception"

/* From a session at the start, where only the stub is known, and from one where both are. */
START_TEST(a_body_without_debug_information_is_counted_once_behind_its_stub)
{
	cleanup_scene struct scene scene = scene_open("stubs", NULL);
	const struct expected right[] = {NUMBER("total", 2), COUNT("hits", 2), {0}};
	for (int i = 0; i < 2; i++) {
		expect_all_of(__FILE__, __LINE__,
		    client_tool(scene.client, "rr_trace_calls", "{s:s}", "location", RETHROW),
		    right);
		expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s, s:i, s:b}",
			       "location", RETHROW, "limit", 1, "count", 1),
		    NUMBER("total", 2));
		if (i == 0)
			scene_run_to(&scene, "main");
	}
}
END_TEST

START_TEST(a_breakpoint_stops_once_at_each_call_behind_a_stub)
{
	cleanup_scene struct scene scene = scene_open("stubs", NULL);
	json_decref(client_tool(scene.client, "rr_breakpoint_set", "{s:s}", "location", RETHROW));
	for (int i = 0; i < 2; i++)
		expect_all(client_tool(scene.client, "rr_continue", NULL),
		    IS("reason", "breakpoint"), HAS("frame.function", "rethrow_exception"));
	expect_all(client_tool(scene.client, "rr_continue", NULL), IS("reason", "end"));
	expect_all(
	    client_tool(scene.client, "rr_breakpoint_list", NULL), NUMBER("breakpoints.0.hits", 2));
	expect_all(client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1),
	    IS("reason", "breakpoint"));
	expect_all(client_tool(scene.client, "rr_last_time", "{s:s}", "location", RETHROW),
	    HAS("conclusion", RETHROW));
}
END_TEST

/* Far from every name, so that it might belong to a library. */
#define UNKNOWN "nonexistent_foo"

START_TEST(a_name_that_nothing_has_is_an_error_at_the_start)
{
	static const char *const tools[] = {"rr_trace_calls", "rr_frame_story", "rr_last_time"};
	cleanup_scene struct scene scene = scene_open("stubs", NULL);
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		client_tool_refused(
		    scene.client, tools[i], "invalid_argument", "{s:s}", "location", UNKNOWN);
	client_tool_refused(
	    scene.client, "rr_lines_executed", "invalid_argument", "{s:s}", "location", UNKNOWN);
	client_tool_refused(
	    scene.client, "rr_continue", "invalid_argument", "{s:s}", "until", UNKNOWN);
	/* The session has not moved. */
	expect_all(client_tool(scene.client, "rr_continue", "{s:s}", "until", "main"),
	    HAS("frame.function", "main"));
}
END_TEST

START_TEST(a_similar_name_of_a_library_is_told)
{
	cleanup_scene struct scene scene = scene_open("stubs", NULL);
	expect_answer_within(client_tool_fails(scene.client, "rr_trace_calls", "invalid_argument",
				 "{s:s}", "location", "unsetenvv"),
	    "hint", "unsetenv");
	/* A name of a library that is loaded later is none, though nothing calls it. */
	expect_all(client_tool(scene.client, "rr_trace_calls", "{s:s}", "location", "unsetenv"),
	    NUMBER("total", 0));
}
END_TEST

/* Of a local variable, a global one, and a function. */
START_TEST(a_similar_name_is_told_wherever_an_expression_has_an_unknown_one)
{
	static const struct {
		const char *tool, *argument;
	} tools[] = {{"rr_evaluate", "expression"}, {"rr_watchpoint_set", "expression"},
	    {"rr_last_change", "expression"}, {"rr_value_history", "expression"},
	    {"rr_origin_of", "expression"}, {"rr_race_scan", "expression"},
	    {"rr_when_became", "predicate"}, {"rr_read_memory", "address"},
	    {"rr_expand", "expression"}};
	cleanup_scene struct scene scene = scene_open_at("stories", "book");

	for (size_t i = 0; i < TIMES(tools); i++)
		expect_all(client_tool_fails(scene.client, tools[i].tool, "invalid_argument",
			       "{s:s}", tools[i].argument, "acount"),
		    HAS("hint", "account"));
	expect_all(client_tool_fails(scene.client, "rr_watchpoint_set", "invalid_argument", "{s:s}",
		       "expression", "totall"),
	    HAS("hint", "total"));
	expect_all(client_tool_fails(scene.client, "rr_disassemble", "invalid_argument", "{s:s}",
		       "location", "count_too"),
	    HAS("hint", "count_to"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_body_without_debug_information_is_counted_once_behind_its_stub,
	    a_breakpoint_stops_once_at_each_call_behind_a_stub,
	    a_name_that_nothing_has_is_an_error_at_the_start, a_similar_name_of_a_library_is_told,
	    a_similar_name_is_told_wherever_an_expression_has_an_unknown_one, NULL};
	return scene_main("unknown", tests, (const char *const[]){"stubs", "stories", NULL});
}
