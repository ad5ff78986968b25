/*
 * Backward over calls and out of them. What rr_next passed going on is the oracle for the way back:
 * the same instructions, in code with source lines and without any.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM	  "odd_returns"
#define THREADS	  "begun"
#define WAITING	  "handed"
#define STEPS_MAX 80

static json_t *next(struct scene *scene, bool reverse)
{
	return client_tool(
	    scene->client, "rr_next", "{s:s, s:b}", "unit", "instruction", "reverse", reverse);
}

static json_t *step_back(struct scene *scene)
{
	return client_tool(
	    scene->client, "rr_step", "{s:s, s:b}", "unit", "instruction", "reverse", 1);
}

/* Steps on from a function's beginning as long as it lasts, and as often back. */
static void go_and_return(const char *function)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	char *passed[STEPS_MAX];
	int steps = 0;

	scene_run_to(&scene, function);
	while (steps < STEPS_MAX) {
		json_t *stop = next(&scene, false);
		bool inside = strcmp(answer_text(stop, "frame.function"), function) == 0;
		expect_text(stop, "reason", "step");
		if (inside)
			passed[steps++] = strdup(answer_text(stop, "frame.address"));
		json_decref(stop);
		if (!inside)
			break;
	}
	ck_assert_int_gt(steps, 10);
	if (steps < STEPS_MAX)
		json_decref(step_back(&scene));
	for (int i = steps - 2; i >= 0; i--) {
		json_auto_t *stop = next(&scene, true);
		expect_text(stop, "reason", "step");
		ck_assert_msg(strcmp(answer_text(stop, "frame.address"), passed[i]) == 0,
		    "%s, step %d: %s where %s was expected", function, i,
		    answer_text(stop, "frame.address"), passed[i]);
	}
	for (int i = 0; i < steps; i++)
		free(passed[i]);
}

START_TEST(the_way_back_passes_what_the_way_forward_did)
{
	go_and_return("main");
	go_and_return("fall");
}
END_TEST

START_TEST(the_way_back_is_right_where_no_lines_are_known)
{
	go_and_return("printf");
}
END_TEST

/* The output is written when the program exits: that has no caller with lines any more. */
START_TEST(a_line_back_from_code_without_lines_is_the_callers_or_where_main_returned)
{
	static const struct {
		const char *function, *note;
	} rows[] = {{"printf", NULL}, {"__vfprintf_internal", NULL}, {"write", "main returned"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
		scene_run_to(&scene, rows[i].function);
		json_auto_t *stop = client_tool(scene.client, "rr_step", "{s:b}", "reverse", 1);
		expect_text(stop, "reason", "step");
		expect_text(stop, "frame.function", "main");
		if (rows[i].note)
			ck_assert_ptr_nonnull(strstr(answer_text(stop, "note"), rows[i].note));
	}
}
END_TEST

/* Each row goes back out of the call with n == 2, behind the calls of the same function in it that
 * have returned. */
START_TEST(back_out_of_a_recursive_function_is_its_own_call)
{
	static const struct {
		const char *function; /* to go out to; NULL: the caller */
		int selected;	      /* level of the frame to go out of */
		const char *comes_to, *args;
	} rows[] = {{NULL, 0, "fall", "n=3"}, {"main", 0, "main", NULL}, {NULL, 1, "main", NULL}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
		client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s, s:b}", "location",
		    "fall", "condition", "n == 2", "temporary", 1);
		client_tool_done(scene.client, "rr_continue", NULL);
		json_t *stop = client_tool(scene.client, "rr_next", "{s:i}", "count", 3);
		expect_text(stop, "frame.args", "n=2");
		json_decref(stop);
		client_tool_done(
		    scene.client, "rr_select_frame", "{s:i}", "frame_level", rows[i].selected);
		stop = client_tool(scene.client, "rr_finish", "{s:b, s:s?}", "reverse", 1,
		    "function", rows[i].function);
		expect_text(stop, "reason", "finished");
		expect_text(stop, "frame.function", rows[i].comes_to);
		if (rows[i].args)
			expect_text(stop, "frame.args", rows[i].args);
		json_decref(stop);
	}
}
END_TEST

START_TEST(a_breakpoint_stops_the_way_back_out_and_is_told)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "odd");
	client_tool_done(scene.client, "rr_finish", NULL);
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "plain");
	json_auto_t *stop = client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1);
	expect_text(stop, "reason", "breakpoint");
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "pushed");
	expect_answer(
	    client_tool(scene.client, "rr_finish", "{s:b}", "reverse", 1), "reason", "breakpoint");
}
END_TEST

static void go(struct scene *scene, const json_t *when)
{
	scene_go(scene, answer_text(when, "moment"));
}

/* Each of these returns is one step, whatever the bytes in front of the place look like. */
START_TEST(a_return_that_no_call_belongs_to_is_one_step)
{
	static const char *const places[] = {"pushed", "plain"};
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	for (int i = 0; i < 2; i++) {
		scene_run_to(&scene, places[i]);
		json_auto_t *here = client_tool(scene.client, "rr_when", NULL);
		json_auto_t *stepped = step_back(&scene);
		go(&scene, here);
		json_auto_t *stop = next(&scene, true);
		expect_text(stop, "reason", "step");
		expect_text(stop, "frame.address", answer_text(stepped, "frame.address"));
		go(&scene, here);
	}
}
END_TEST

/* Behind main's first call of fall; the moment there is the caller's. */
static json_t *go_behind_call(struct scene *scene)
{
	json_t *stop;

	scene_run_to(scene, "fall");
	stop = client_tool(scene->client, "rr_finish", NULL);
	expect_text(stop, "frame.function", "main");
	return stop;
}

START_TEST(a_breakpoint_in_the_call_stops_the_way_back)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_decref(go_behind_call(&scene));
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "fall");
	expect_all(next(&scene, true), IS("reason", "breakpoint"), IS("frame.function", "fall"));
}
END_TEST

START_TEST(where_the_processor_watches_all_it_can_the_session_stays)
{
	static const char *const watched[] = {"depth", "count", "*(&depth + 8)", "*(&depth + 16)"};
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *here = go_behind_call(&scene);
	for (int i = 0; i < 4; i++)
		client_tool_done(
		    scene.client, "rr_watchpoint_set", "{s:s}", "expression", watched[i]);
	client_tool_refused(scene.client, "rr_next", "unsupported", "{s:s, s:b}", "unit",
	    "instruction", "reverse", 1);
	expect_answer(
	    client_tool(scene.client, "rr_when", NULL), "moment", answer_text(here, "moment"));
	client_tool_done(scene.client, "rr_breakpoint_remove", "{s:i}", "breakpoint_number", 4);
	expect_answer(next(&scene, true), "reason", "watchpoint");
}
END_TEST

/*
 * rr looks for the instruction before in one stretch after the other, from its last checkpoint on,
 * and forgets what other threads hit in a stretch where the thread has none: so it passes by the
 * writes of the thread that began this one. What it comes to instead is an earlier write, or the
 * start of the recording.
 */
static const struct {
	const char *watched, *old, *new, *tool, *unit;
} steps_back[] = {
    {"often", "1", "2", "rr_step", "instruction"},
    {"often", "1", "2", "rr_next", "instruction"},
    {"often", "1", "2", "rr_step", "line"},
    {"often", "1", "2", "rr_next", "line"},
    {"late", "0", "3", "rr_step", "instruction"},
    {"late", "0", "3", "rr_next", "line"},
};

static struct scene open_where_thread_begins(void)
{
	struct scene scene = scene_open_at(THREADS, "write_both");

	client_tool_done(scene.client, "rr_checkpoint_save", NULL);
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s, s:b}", "location",
	    "*&begun", "condition", "$eax == 0", "temporary", 1);
	client_tool_done(scene.client, "rr_continue", NULL);
	return scene;
}

START_TEST(a_step_back_from_a_threads_beginning_passes_no_stop_of_another)
{
	cleanup_scene struct scene scene = open_where_thread_begins();
	client_tool_done(
	    scene.client, "rr_watchpoint_set", "{s:s}", "expression", steps_back[_i].watched);
	expect_all(client_tool(scene.client, steps_back[_i].tool, "{s:s, s:b}", "unit",
		       steps_back[_i].unit, "reverse", 1),
	    IS("reason", "watchpoint"), IS("watch.old", steps_back[_i].old),
	    IS("watch.new", steps_back[_i].new), IS("frame.function", "write_both"));
	expect_all(
	    client_tool(scene.client, "rr_breakpoint_list", NULL), NUMBER("breakpoints.0.hits", 1));
}
END_TEST

/* With nothing to stop at, as without a breakpoint: the session stays. */
START_TEST(a_step_back_from_a_threads_beginning_with_no_stop_before_is_refused)
{
	for (int watched = 0; watched < 2; watched++) {
		cleanup_scene struct scene scene = open_where_thread_begins();
		json_auto_t *here = client_tool(scene.client, "rr_when", NULL);
		if (watched)
			client_tool_done(
			    scene.client, "rr_watchpoint_set", "{s:s}", "expression", "ended");
		client_tool_refused(scene.client, "rr_step", "unsupported", "{s:s, s:b}", "unit",
		    "instruction", "reverse", 1);
		expect_answer(client_tool(scene.client, "rr_when", NULL), "moment",
		    answer_text(here, "moment"));
	}
}
END_TEST

/*
 * On the way back over a call, other threads come to gdb's own breakpoints. gdb would step each of
 * them back over those, and rr would forget what lies between where that thread waited in a system
 * call.
 */
static struct scene open_behind_call(json_t **call)
{
	struct scene scene = scene_open(WAITING, NULL);
	json_t *behind;

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s, s:b}", "location", "*&call",
	    "condition", "who == 1 && i == 1", "temporary", 1);
	*call = client_tool(scene.client, "rr_continue", NULL);
	behind = client_tool(scene.client, "rr_next", NULL);
	expect_text(behind, "reason", "step");
	json_decref(behind);
	return scene;
}

START_TEST(a_line_back_over_a_wait_is_where_the_call_began)
{
	json_auto_t *call = NULL;
	cleanup_scene struct scene scene = open_behind_call(&call);

	expect_all(client_tool(scene.client, "rr_next", "{s:b}", "reverse", 1),
	    IS("reason", "step"), IS("moment", answer_text(call, "moment")));
}
END_TEST

START_TEST(a_line_back_over_a_wait_stops_where_another_thread_does)
{
	json_auto_t *call = NULL;
	cleanup_scene struct scene scene = open_behind_call(&call);

	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "got[0]");
	expect_all(client_tool(scene.client, "rr_next", "{s:b}", "reverse", 1),
	    IS("reason", "watchpoint"), IS("watch.old", "1"), IS("watch.new", "2"));
}
END_TEST

/* At both ends of that line there is one thread. */
START_TEST(a_line_back_over_the_lives_of_threads_stops_where_they_did)
{
	cleanup_scene struct scene scene = scene_open_at(WAITING, "*&over");

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", "*&call",
	    "condition", "i == 2");
	expect_all(client_tool(scene.client, "rr_next", "{s:b}", "reverse", 1),
	    IS("reason", "breakpoint"), IS("frame.function", "work"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{the_way_back_passes_what_the_way_forward_did, 1},
	    {the_way_back_is_right_where_no_lines_are_known, 1},
	    {a_line_back_from_code_without_lines_is_the_callers_or_where_main_returned, 1},
	    {back_out_of_a_recursive_function_is_its_own_call, 1},
	    {a_breakpoint_stops_the_way_back_out_and_is_told, 1},
	    {a_return_that_no_call_belongs_to_is_one_step, 1},
	    {a_breakpoint_in_the_call_stops_the_way_back, 1},
	    {where_the_processor_watches_all_it_can_the_session_stays, 1},
	    {a_step_back_from_a_threads_beginning_passes_no_stop_of_another, TIMES(steps_back)},
	    {a_step_back_from_a_threads_beginning_with_no_stop_before_is_refused, 1},
	    {a_line_back_over_a_wait_is_where_the_call_began, 1},
	    {a_line_back_over_a_wait_stops_where_another_thread_does, 1},
	    {a_line_back_over_the_lives_of_threads_stops_where_they_did, 1}, {NULL, 0}};

	return scene_main_loops(
	    "back_over", tests, (const char *const[]){PROGRAM, THREADS, WAITING, NULL});
}
