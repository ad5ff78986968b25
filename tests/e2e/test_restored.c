/*
 * What a session watches once it has been restored: the same objects, whatever their names mean in
 * the frame where it stands, and nothing beside them. And which frame it has selected.
 */
#include <check.h>
#include <signal.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

#define CHANGES 2 /* of each in the program */

static const struct {
	const char *expression;
	bool whole; /* watched where it lies, whatever the frame */
} watched[] = {
    {"own.high", true},
    {"(own.high)", true},
    {"(&own)->high", true},
    {"pair.number", true},
    {"nameless.high", true},
    {"around.inner.high", true},
    {"text", true},
    {"*(short *) &pair", true},
    {"nameless.high", false},
};

static void kill_gdb(const struct scene *scene)
{
	pid_t gdb = census_find(client_pid(scene->client), "gdb", 0);

	ck_assert_int_gt(gdb, 0);
	census_kill(gdb);
}

/* Every stop from here to the program's end, as what it says of the watched value. */
static json_t *changes(const struct scene *scene)
{
	json_t *seen = json_array();

	for (int i = 0; i < 100; i++) {
		json_auto_t *stop = client_tool(scene->client, "rr_continue", NULL);
		json_t *watch = json_object_get(stop, "watch");

		if (!watch)
			break;
		json_object_del(watch, "expression"); /* may be another one for the same */
		json_array_append(seen, watch);
	}
	return seen;
}

static json_t *changes_of(size_t row, bool restored)
{
	cleanup_scene struct scene scene = scene_open_at("watched_again", "change");

	client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", 1);
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s, s:b}", "expression",
	    watched[row].expression, "location", watched[row].whole);
	client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", 0);
	if (restored) {
		kill_gdb(&scene);
		expect_all(client_tool(scene.client, "rr_breakpoint_list", NULL), TRUE("restored"));
	}
	return changes(&scene);
}

START_TEST(a_restored_session_watches_what_it_watched_before)
{
	json_auto_t *before = changes_of((size_t)_i, false), *after = changes_of((size_t)_i, true);

	ck_assert_uint_eq(json_array_size(before), CHANGES);
	expect_same(json_incref(after), json_incref(before));
}
END_TEST

/* These select the first frame of the program's own code. */
static const struct {
	const char *tool, *argument, *value;
} choosers[] = {
    {"rr_crash_report", NULL, NULL},
    {"rr_who_printed", "text", "balance 70"},
};

START_TEST(a_restored_session_has_the_frame_selected_that_an_answer_selected)
{
	const char *argument = choosers[_i].argument;
	cleanup_scene struct scene scene = scene_open("abort", NULL);
	json_auto_t *answer = argument ? client_tool(scene.client, choosers[_i].tool, "{s:s, s:b}",
					     argument, choosers[_i].value, "move", 1)
				       : client_tool(scene.client, choosers[_i].tool, NULL);

	ck_assert_int_gt(answer_number(answer, "selected_frame"), 0);
	json_auto_t *before =
	    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "balance");
	kill_gdb(&scene);
	expect_all(client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", "balance"),
	    TRUE("restored"), IS("value", answer_text(before, "value")));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_restored_session_watches_what_it_watched_before, TIMES(watched)},
	    {a_restored_session_has_the_frame_selected_that_an_answer_selected, TIMES(choosers)},
	    {NULL, 0}};

	return scene_main_loops(
	    "restored", tests, (const char *const[]){"watched_again", "abort", NULL});
}
