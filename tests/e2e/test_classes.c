/*
 * What C++ makes of names and expressions: breakpoints at methods, templates and overloads of a
 * library that is not loaded yet, and expressions with members and containers at other moments.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

static json_t *go_on(struct scene *scene, int reverse)
{
	return client_tool(scene->client, "rr_continue", "{s:b}", "reverse", reverse);
}

/* Names of functions in tests/programs/filter.cc, and what the first hit shows. */
static const struct {
	const char *location, *function, *expression, *value;
} names[] = {
    {"filters::apply(int)", "filters::apply", "number", "7"},
    {"filters::apply(double)", "filters::apply", "number", "14"},
    {"filters::scale<int>::apply", "filters::scale<int>::apply", "this->factor * number", "21"},
    {"filters::scale<double>::apply", "filters::scale<double>::apply", "factor", "0.5"},
    {"filter_all", "filter_all", "number", "7"},
    {"filter.cc:raise_user_signal", "filters::raise_user_signal", "1", "1"},
};

START_TEST(a_name_of_a_library_that_is_loaded_later_waits_and_is_hit)
{
	cleanup_scene struct scene scene = scene_open_at("filters", "main");
	expect_all(client_tool(scene.client, "rr_breakpoint_set", "{s:s, s:b}", "location",
		       names[_i].location, "pending", 1),
	    TRUE("pending"));
	expect_all(
	    go_on(&scene, 0), IS("reason", "breakpoint"), IS("frame.function", names[_i].function));
	expect_value(scene.client, names[_i].expression, names[_i].value);
	/* Once loaded, the name is found at once, backward as well. */
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_answer(go_on(&scene, 1), "frame.function", names[_i].function);
}
END_TEST

/* A library calls its own functions through stubs that have their names too. */
START_TEST(a_call_through_a_stub_of_the_library_is_one_call)
{
	static const struct {
		const char *location;
		int calls;
	} counts[] = {{"filters::scale<int>::apply", 1}, {"filters::apply", 2}};
	cleanup_scene struct scene scene = scene_open("filters", NULL);

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		json_auto_t *calls = client_tool(
		    scene.client, "rr_trace_calls", "{s:s}", "location", counts[i].location);
		expect_number(calls, "total", counts[i].calls);
		client_tool_done(
		    scene.client, "rr_breakpoint_set", "{s:s}", "location", counts[i].location);
	}
	/* Backward: scale<double>::apply has none, so these are apply(double), and so on. */
	expect_answer(go_on(&scene, 1), "frame.args", "number=14");
	expect_answer(go_on(&scene, 1), "frame.function", "filters::scale<int>::apply");
	expect_answer(go_on(&scene, 1), "frame.args", "number=7");
	expect_all(client_tool(scene.client, "rr_breakpoint_list", NULL),
	    ABSENT("breakpoints.0.places"), NUMBER("breakpoints.1.places", 2));
}
END_TEST

START_TEST(a_signal_that_a_library_raises_stops_where_it_is_asked_for)
{
	cleanup_scene struct scene scene = scene_open_at("filters", "main");
	client_tool_done(scene.client, "rr_signals", "{s:[s]}", "stop", "SIGUSR1");
	expect_all(go_on(&scene, 0), IS("reason", "signal"), IS("signal", "SIGUSR1"));
	json_auto_t *trace = client_tool(scene.client, "rr_backtrace", NULL);
	cleanup_free char *text = answer_show(trace);
	ck_assert_ptr_nonnull(strstr(text, "filters::raise_user_signal"));
	client_tool_done(scene.client, "rr_signals", "{s:[s]}", "pass", "SIGUSR1");
	expect_answer(go_on(&scene, 0), "reason", "end");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_name_of_a_library_that_is_loaded_later_waits_and_is_hit, TIMES(names)},
	    {a_call_through_a_stub_of_the_library_is_one_call, 1},
	    {a_signal_that_a_library_raises_stops_where_it_is_asked_for, 1},
	    {NULL, 0},
	};

	return scene_main_loops("classes", tests, (const char *const[]){"filters", NULL});
}
