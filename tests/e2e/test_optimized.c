/*
 * Programs built with -O2, in C++ and in C: values that are kept nowhere are listed as such,
 * structures have their members, and for a value without an address the answer says where it is.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

static const char *const builds[] = {"optimized_values", "optimized_in_c", NULL};

/* Stands in weigh() after its last call. */
static struct scene behind_the_call(const char *program)
{
	struct scene scene = scene_open(program, NULL);

	client_tool_done(scene.client, "rr_continue", "{s:s}", "until", "weigh");
	client_tool_done(scene.client, "rr_continue", "{s:s}", "until", "puts");
	client_tool_done(scene.client, "rr_finish", NULL);
	return scene;
}

static const json_t *named(const json_t *list, const char *name)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (strcmp(answer_text(json_array_get(list, i), "name"), name) == 0)
			return json_array_get(list, i);
	harness_fail("no %s", name);
}

START_TEST(structures_by_value_show_their_members_in_stops_and_stacks)
{
	cleanup_scene struct scene scene = scene_open(builds[_i], NULL);
	expect_answer_within(client_tool(scene.client, "rr_continue", "{s:s}", "until", "weigh"),
	    "frame.args", "where={x = 41");
	expect_answer_within(
	    client_tool(scene.client, "rr_backtrace", NULL), "frames.0.args", "where={x = 41");
}
END_TEST

START_TEST(what_is_optimized_out_is_listed_as_such)
{
	cleanup_scene struct scene scene = behind_the_call(builds[_i]);
	json_auto_t *locals = client_tool(scene.client, "rr_locals", NULL);
	const json_t *list = answer_at(locals, "variables");

	expect_text(named(list, "gone"), "value", "<optimized out>");
	expect_text(named(list, "kept"), "value", "44");
	expect_within(named(list, "where"), "value", "optimized out");
	json_auto_t *trace = client_tool(scene.client, "rr_backtrace", NULL);
	const char *args = answer_text(trace, "frames.0.args");
	ck_assert_ptr_null(strstr(args, "=,"));
	ck_assert_int_ne(args[strlen(args) - 1], '=');
}
END_TEST

START_TEST(a_value_without_address_says_where_it_is)
{
	static const char *const tools[] = {"rr_watchpoint_set", "rr_last_change"};
	cleanup_scene struct scene scene = behind_the_call(builds[_i]);

	for (int i = 0; i < 2; i++) {
		expect_answer_within(client_tool_fails(scene.client, tools[i], "invalid_argument",
					 "{s:s}", "expression", "kept"),
		    "message", "in register $");
		expect_answer_within(client_tool_fails(scene.client, tools[i], "invalid_argument",
					 "{s:s}", "expression", "gone"),
		    "message", "optimized out");
	}
}
END_TEST

/* For its address, gdb would copy it into the program: with malloc, or, before the C library is
 * there, not at all. */
static void expect_array_is_out(struct client *client)
{
	static const char *const tools[] = {
	    "rr_value_history", "rr_last_change", "rr_watchpoint_set", "rr_race_scan"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		expect_answer_within(client_tool_fails(client, tools[i], "invalid_argument",
					 "{s:s}", "expression", "written[1]"),
		    "message", "written[1] is optimized out here");
}

START_TEST(an_array_that_is_kept_nowhere_has_no_history)
{
	cleanup_scene struct scene scene = scene_open(builds[_i], NULL);

	expect_array_is_out(scene.client);
	client_tool_done(scene.client, "rr_continue", "{s:s}", "until", "weigh");
	expect_array_is_out(scene.client);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {structures_by_value_show_their_members_in_stops_and_stacks,
	    what_is_optimized_out_is_listed_as_such, a_value_without_address_says_where_it_is,
	    an_array_that_is_kept_nowhere_has_no_history, NULL};

	return scene_main_builds("optimized", tests, builds, 2);
}
