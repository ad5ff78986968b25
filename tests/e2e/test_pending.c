/*
 * Breakpoints in libraries that are not loaded yet: they wait, say so, and stop the program.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

static json_t *go_on(struct scene *scene)
{
	return client_tool(scene->client, "rr_continue", NULL);
}

START_TEST(a_function_of_a_library_waits_at_the_programs_start_and_is_hit)
{
	cleanup_scene struct scene scene = scene_open("many_watch", NULL);
	expect_all(client_tool(scene.client, "rr_breakpoint_set", "{s:s}", "location", "write"),
	    TRUE("pending"), HAS("note", "libc.so"), HAS("note", "before its own code"));
	json_auto_t *stop = go_on(&scene);
	expect_text(stop, "reason", "breakpoint");
	expect_number(stop, "breakpoint", 1);
	expect_within(stop, "frame.function", "write");
	expect_all(client_tool(scene.client, "rr_breakpoint_list", NULL),
	    ABSENT("breakpoints.0.pending"), NUMBER("breakpoints.0.hits", 1));
	expect_all(go_on(&scene), IS("reason", "end"), ABSENT("never_loaded"));
}
END_TEST

START_TEST(until_waits_for_a_library_too)
{
	cleanup_scene struct scene scene = scene_open("many_watch", NULL);
	expect_answer_within(client_tool(scene.client, "rr_continue", "{s:s}", "until", "write"),
	    "frame.function", "write");
}
END_TEST

/* Far from all names, in a library's name, and a file that nothing was built from. */
START_TEST(what_nothing_in_the_recording_has_is_an_error_at_its_start)
{
	static const struct {
		const char *location, *hint;
	} cases[] = {{"frobnicate", ""}, {"unsetenvv", "unsetenv"}, {"nowhere.c:12", ""},
	    {"nowhere.c:frobnicate", ""}};
	cleanup_scene struct scene scene = scene_open("many_watch", NULL);
	json_auto_t *before = client_tool(scene.client, "rr_when", NULL);

	for (size_t i = 0; i < TIMES(cases); i++)
		expect_all(client_tool_fails(scene.client, "rr_breakpoint_set", "invalid_argument",
			       "{s:s}", "location", cases[i].location),
		    HAS("message", cases[i].location), HAS("hint", cases[i].hint));
	client_tool_refused(scene.client, "rr_breakpoint_set", "invalid_argument", "{s:s, s:b}",
	    "location", "frobnicate", "temporary", 1);
	client_tool_refused(scene.client, "rr_breakpoint_set", "invalid_argument", "{s:s, s:s}",
	    "location", "frobnicate", "condition", "1 == 0");
	expect_all(client_tool(scene.client, "rr_breakpoint_list", NULL), COUNT("breakpoints", 0));
	expect_all(client_tool(scene.client, "rr_when", NULL),
	    IS("moment", answer_text(before, "moment")));
}
END_TEST

START_TEST(what_only_a_library_that_is_opened_later_has_waits_for_that)
{
	cleanup_scene struct scene scene = scene_open("plugin", NULL);

	expect_all(client_tool(scene.client, "rr_breakpoint_set", "{s:s}", "location", "cbrt"),
	    TRUE("pending"), HAS("note", "libm.so"), HAS("note", "while it runs"));
	expect_all(go_on(&scene), IS("reason", "breakpoint"), HAS("frame.function", "cbrt"));
}
END_TEST

START_TEST(what_no_library_has_is_said_at_the_end)
{
	cleanup_scene struct scene scene = scene_open("many_watch", NULL);
	expect_all(client_tool(scene.client, "rr_breakpoint_set", "{s:s, s:b}", "location",
		       "frobnicate", "pending", 1),
	    TRUE("pending"));
	expect_all(go_on(&scene), IS("reason", "end"), NUMBER("never_loaded.0", 1));
	/* Now that all libraries are loaded, the name is a mistake. */
	client_tool_refused(scene.client, "rr_breakpoint_set", "invalid_argument", "{s:s}",
	    "location", "frobnicate_more");
}
END_TEST

START_TEST(a_mistyped_name_of_the_program_is_an_error_at_its_start)
{
	cleanup_scene struct scene scene = scene_open("many_watch", NULL);
	expect_answer_within(client_tool_fails(scene.client, "rr_breakpoint_set",
				 "invalid_argument", "{s:s}", "location", "togle"),
	    "hint", "toggle");
}
END_TEST

START_TEST(a_library_that_is_loaded_late_is_waited_for)
{
	cleanup_scene struct scene scene = scene_open_at("plugin", "main");
	expect_all(client_tool(scene.client, "rr_breakpoint_set", "{s:s}", "location", "cbrt"),
	    TRUE("pending"), HAS("note", "libm.so"), HAS("note", "not loaded at this moment"));
	client_tool_done(scene.client, "rr_breakpoint_remove", "{s:i}", "breakpoint_number", 2);
	expect_all(client_tool(scene.client, "rr_breakpoint_set", "{s:s, s:b}", "location", "cbrt",
		       "pending", 1),
	    TRUE("pending"));
	expect_all(go_on(&scene), IS("reason", "breakpoint"), HAS("frame.function", "cbrt"));
}
END_TEST

/* Loaded by a relative name, it is somewhere else than where the server runs. */
START_TEST(a_library_that_is_loaded_late_and_unloaded_is_searched_from_anywhere)
{
	static const char *const moments[] = {"start", "end"}, *const arguments[] = {
								   NULL, "unload"};

	for (size_t i = 0; i < TIMES(arguments); i++) {
		for (size_t j = 0; j < TIMES(moments); j++) {
			cleanup_place struct place place =
			    place_replay("relative_load", arguments[i]);

			client_tool_done(place.client, "rr_goto", "{s:s}", "moment", moments[j]);
			expect_all(client_tool(place.client, "rr_trace_calls", "{s:s}", "location",
				       "plugin_add"),
			    NUMBER("total", 1), HAS("hits.0.args", "a=40"), ABSENT("warnings"));
		}
	}
}
END_TEST

START_TEST(a_breakpoint_in_a_library_that_was_unloaded_tells_when_it_is_there)
{
	cleanup_place struct place place = place_replay("relative_load", "unload");

	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", "end");
	expect_all(
	    client_tool(place.client, "rr_breakpoint_set", "{s:s}", "location", "plugin_add"),
	    TRUE("pending"), HAS("note", "plugin_twice, which is not loaded at this moment"));
	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", "start");
	expect_all(client_tool(place.client, "rr_continue", NULL), NUMBER("breakpoint", 1),
	    HAS("frame.function", "plugin_add"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_function_of_a_library_waits_at_the_programs_start_and_is_hit,
	    until_waits_for_a_library_too,
	    what_nothing_in_the_recording_has_is_an_error_at_its_start,
	    what_only_a_library_that_is_opened_later_has_waits_for_that,
	    what_no_library_has_is_said_at_the_end,
	    a_mistyped_name_of_the_program_is_an_error_at_its_start,
	    a_library_that_is_loaded_late_is_waited_for,
	    a_library_that_is_loaded_late_and_unloaded_is_searched_from_anywhere,
	    a_breakpoint_in_a_library_that_was_unloaded_tells_when_it_is_there, NULL};
	return scene_main("pending", tests, (const char *const[]){"many_watch", "plugin", NULL});
}
