/*
 * Where the program stands after each execution tool, and what the answer says, forward and
 * backward. The numbers of changes in tests/programs/many_watch.c are known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM "many_watch"

/* The value of an expression in a frame. Borrowed from the heap: small, and the test ends. */
static char *value_in(struct scene *scene, int frame, const char *expression)
{
	client_tool_done(scene->client, "rr_select_frame", "{s:i}", "frame_level", frame);
	json_auto_t *answer =
	    client_tool(scene->client, "rr_evaluate", "{s:s}", "expression", expression);
	char *value = strdup(answer_text(answer, "value"));
	return value;
}

static void set_breakpoint(struct scene *scene, const char *location)
{
	client_tool_done(scene->client, "rr_breakpoint_set", "{s:s}", "location", location);
}

static json_t *run(struct scene *scene, int reverse, int count)
{
	return client_tool(
	    scene->client, "rr_continue", "{s:b, s:i}", "reverse", reverse, "count", count);
}

START_TEST(a_stop_tells_why_where_source_and_moment)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_auto_t *set =
	    client_tool(scene.client, "rr_breakpoint_set", "{s:s}", "location", "set_late");
	long long line = harness_line(PROGRAM, "late = 42;");
	char place[128];
	expect_text(set, "function", "set_late");
	snprintf(place, sizeof(place), "tests/programs/" PROGRAM ".c:%lld", line);
	expect_text(set, "at", place); /* from where the server was started */
	ck_assert_int_eq(strncmp(answer_text(set, "address"), "0x", 2), 0);

	json_auto_t *stop = run(&scene, 0, 1);
	expect_text(stop, "reason", "breakpoint");
	expect_number(stop, "frame.level", 0);
	expect_text(stop, "frame.function", "set_late");
	expect_line(stop, "frame", line);
	expect_text(stop, "frame.at", place);
	ck_assert_ptr_null(answer_at(stop, "frame.args"));
	snprintf(place, sizeof(place), "=> %lld  \tlate = 42;\n", line);
	const char *source = answer_text(stop, "source"), *current = strstr(source, place);
	ck_assert_msg(current != NULL, "%s", source);
	ck_assert_ptr_eq(strstr(source, "=>"), current);
	ck_assert_ptr_null(strstr(current + 1, "=>"));
	ck_assert_int_gt(answer_event(stop, "moment"), 0);
	ck_assert_int_gt(answer_ticks(stop, "moment"), 0);
	ck_assert_int_gt(answer_number(stop, "tid"), 0);
}
END_TEST

START_TEST(a_stop_tells_what_the_program_wrote_on_the_way)
{
	cleanup_scene struct scene scene = scene_open("list_corruption", NULL);
	expect_answer_within(run(&scene, 0, 1), "output", "6 sessions open");
}
END_TEST

static json_t *go(struct scene *scene, const char *moment)
{
	return client_tool(scene->client, "rr_goto", "{s:s}", "moment", moment);
}

/* A seek replays what was printed before, often several times. */
START_TEST(a_seek_tells_each_line_once_and_none_on_the_way_back)
{
	cleanup_scene struct scene scene = scene_open("output", NULL);
	char place[32], beside[32];
	snprintf(place, sizeof(place), "output.c:%lld", harness_line("output", "if (i % 100 =="));
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", place,
	    "condition", "i == 12");
	json_auto_t *stop = run(&scene, 0, 1);
	const char *moment = answer_text(stop, "moment"), *output = answer_text(stop, "output");
	ck_assert_uint_eq(strlen(output), 13 * 64);
	ck_assert_int_eq(strncmp(output + 12 * 64, "00000012", 8), 0);
	json_auto_t *end = go(&scene, "end");
	ck_assert_int_eq(strncmp(answer_text(end, "output"), "00000013", 8), 0);
	json_auto_t *back = go(&scene, moment);
	ck_assert_ptr_null(answer_at(back, "output"));
	json_decref(go(&scene, "start"));
	expect_answer(go(&scene, moment), "output", output);
	json_decref(go(&scene, "start"));
	snprintf(beside, sizeof(beside), "%lld:99999999999", answer_event(stop, "moment"));
	json_auto_t *near = go(&scene, beside);
	expect_within(near, "note", "has no instruction with 99999999999 ticks");
	ck_assert_int_eq(answer_event(near, "moment"), answer_event(stop, "moment") + 1);
	/* The next event is in the next line's write. */
	ck_assert_uint_eq(strlen(answer_text(near, "output")), 14 * 64);
}
END_TEST

/* Questions go elsewhere and come back: backward, and to the end. */
START_TEST(what_was_told_before_a_question_is_not_told_again_nor_is_the_rest_lost)
{
	cleanup_scene struct scene scene = scene_open("output", NULL);
	char place[32];

	snprintf(place, sizeof(place), "output.c:%lld", harness_line("output", "if (i % 100 =="));
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", place,
	    "condition", "i == 12 || i == 14 || i == 16");
	json_decref(run(&scene, 0, 1));
	client_tool_done(scene.client, "rr_last_change", "{s:s}", "expression", "line[7]");
	json_auto_t *stop = run(&scene, 0, 1);
	ck_assert_int_eq(strncmp(answer_text(stop, "output"), "00000013", 8), 0);
	ck_assert_uint_eq(strlen(answer_text(stop, "output")), 2 * 64);
	client_tool_refused(scene.client, "rr_crash_report", "not_found", NULL);
	json_auto_t *next = run(&scene, 0, 1);
	ck_assert_int_eq(strncmp(answer_text(next, "output"), "00000015", 8), 0);
	ck_assert_uint_eq(strlen(answer_text(next, "output")), 2 * 64);
}
END_TEST

START_TEST(a_step_where_no_lines_are_known_goes_on_to_main)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	double started = harness_now();
	expect_all(client_tool(scene.client, "rr_step", NULL), IS("reason", "step"),
	    IS("frame.function", "main"));
	/* This takes minutes if gdb steps each instruction of the dynamic linker. */
	ck_assert_msg(harness_now() - started < 60, "%.1f s", harness_now() - started);
}
END_TEST

START_TEST(back_where_a_library_was_not_loaded_yet_the_program_still_moves)
{
	static const char *const back[] = {"rr_step", "rr_next", "rr_finish", "rr_continue"};
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "count_up");
	for (size_t i = 0; i < sizeof(back) / sizeof(*back); i++) {
		json_decref(run(&scene, 1, 1));
		expect_answer(
		    client_tool(scene.client, back[i], "{s:b}", "reverse", 1), "reason", "start");
	}
	expect_answer(
	    client_tool(scene.client, "rr_step", "{s:s}", "unit", "instruction"), "reason", "step");
}
END_TEST

START_TEST(a_checkpoint_at_the_end_can_be_gone_back_to)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	json_auto_t *saved = client_tool(scene.client, "rr_checkpoint_save", NULL);
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	expect_answer(client_tool(scene.client, "rr_checkpoint_restore", "{s:I}", "checkpoint_id",
			  answer_number(saved, "checkpoint_id")),
	    "reason", "end");
}
END_TEST

START_TEST(a_breakpoint_for_one_thread_stops_that_one_only_wherever_the_session_goes)
{
	cleanup_scene struct scene scene = scene_open_at("threads", "take_turns");
	json_auto_t *here = client_tool(scene.client, "rr_when", NULL);
	long long tid = answer_number(here, "tid");
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:I}", "location",
	    "pthread_cond_broadcast", "thread", (json_int_t)tid);
	for (int way = 0; way < 2; way++) {
		client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", way ? "end" : "start");
		json_t *stop = run(&scene, way, 1);
		if (way == 1)
			while (strcmp(answer_text(stop, "reason"), "breakpoint") != 0) {
				json_decref(stop);
				stop = run(&scene, way, 1);
			}
		for (int i = 0; i < 3; i++) {
			expect_text(stop, "reason", "breakpoint");
			expect_number(stop, "tid", tid);
			json_decref(stop);
			stop = run(&scene, way, 1);
		}
		json_decref(stop);
	}
}
END_TEST

START_TEST(a_stop_is_passed_whichever_thread_is_selected)
{
	cleanup_scene struct scene scene = scene_open("threads", NULL);
	set_breakpoint(&scene, "pthread_cond_broadcast");
	json_decref(run(&scene, 0, 1));
	json_t *first = run(&scene, 0, 1), *list, *second;
	long long stopped = answer_number(first, "tid"), other = 0;
	/* Away and back, so that gdb has not seen the program stop at the breakpoint. */
	client_tool_done(scene.client, "rr_last_change", "{s:s}", "expression", "turn");
	list = client_tool(scene.client, "rr_thread_list", NULL);
	for (size_t i = 0; i < answer_count(list, "threads"); i++) {
		json_t *one = json_array_get(answer_at(list, "threads"), i);
		if (answer_number(one, "tid") != stopped)
			other = answer_number(one, "tid");
	}
	client_tool_done(scene.client, "rr_thread_select", "{s:I}", "thread_id", (json_int_t)other);
	second = run(&scene, 0, 1);
	expect_text(second, "reason", "breakpoint");
	ck_assert(!json_equal(answer_at(first, "moment"), answer_at(second, "moment")));
	json_decref(first);
	json_decref(second);
	json_decref(list);
}
END_TEST

START_TEST(count_passes_stops_forward_and_backward)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	set_breakpoint(&scene, "toggle");
	json_decref(run(&scene, 0, 5));
	ck_assert_str_eq(value_in(&scene, 1, "i"), "4");
	json_decref(run(&scene, 1, 3));
	ck_assert_str_eq(value_in(&scene, 1, "i"), "1");
}
END_TEST

START_TEST(a_watchpoint_shows_old_and_new_in_forward_order_both_ways)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "count_up");
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "counter");
	json_auto_t *stop = run(&scene, 0, 3);
	expect_text(stop, "reason", "watchpoint");
	expect_text(stop, "watch.old", "2");
	expect_text(stop, "watch.new", "3");
	expect_within(stop, "watch.expression", "counter");

	/* Backward over the third write, then over the second. */
	expect_all(run(&scene, 1, 1), IS("reason", "watchpoint"), IS("watch.old", "2"),
	    IS("watch.new", "3"));
	ck_assert_str_eq(value_in(&scene, 0, "counter"), "2");
	expect_all(run(&scene, 1, 1), IS("watch.old", "1"), IS("watch.new", "2"));
}
END_TEST

START_TEST(a_store_of_the_same_value_is_no_change)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "main");
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "rewritten");
	expect_answer(run(&scene, 0, 1), "reason", "end");
}
END_TEST

START_TEST(four_watchpoints_stop_at_every_change)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "main");
	static const char *const elements[] = {"four[0]", "four[1]", "four[2]", "four[3]"};
	for (int i = 0; i < 4; i++)
		client_tool_done(
		    scene.client, "rr_watchpoint_set", "{s:s}", "expression", elements[i]);
	expect_all(run(&scene, 0, 12), IS("reason", "watchpoint"), IS("watch.new", "34"));
	expect_answer(run(&scene, 0, 1), "reason", "end");
}
END_TEST

/* One of each kind, and a fourth. The processor has no register for a fifth of any kind. */
START_TEST(watchpoints_of_every_kind_go_together_as_many_as_there_are_registers)
{
	static const char *const kinds[] = {"read", "write", "access", "write"};
	static const char *const elements[] = {"four[0]", "four[1]", "four[2]", "four[3]"};
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "main");
	for (int i = 0; i < 4; i++)
		client_tool_done(scene.client, "rr_watchpoint_set", "{s:s, s:s}", "expression",
		    elements[i], "access_type", kinds[i]);
	client_tool_refused(
	    scene.client, "rr_watchpoint_set", "unsupported", "{s:s}", "expression", "late");
	client_tool_done(scene.client, "rr_breakpoint_update", "{s:i, s:b}", "breakpoint_number", 2,
	    "enabled", 0);
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "late");
	client_tool_refused(scene.client, "rr_breakpoint_update", "unsupported", "{s:i, s:b}",
	    "breakpoint_number", 2, "enabled", 1);
	expect_answer(run(&scene, 0, 1), "watch.expression", "four[1]");
}
END_TEST

START_TEST(a_watch_bound_to_its_scope_ends_with_it_and_the_session_goes_on)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "fill_four");
	client_tool_done(
	    scene.client, "rr_watchpoint_set", "{s:s, s:b}", "expression", "i", "location", 0);
	for (int stops = 0, watching = 1; watching; stops++) {
		json_auto_t *stop = run(&scene, 0, 1);
		ck_assert_int_lt(stops, 10); /* i changes 5 times */
		watching = answer_at(stop, "watch.new") != NULL;
	}
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	scene_run_to(&scene, "set_late");
}
END_TEST

START_TEST(next_forward_and_as_often_backward_comes_to_the_same_line)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	/* Straight code, because at the head of a loop gdb itself counts differently backward. */
	long long line = harness_line(PROGRAM, "\tset_late();");
	char location[64];
	snprintf(location, sizeof(location), PROGRAM ".c:%lld", line);
	scene_run_to(&scene, location);
	json_auto_t *stop = client_tool(scene.client, "rr_next", "{s:i}", "count", 2);
	expect_text(stop, "reason", "step");
	expect_text(stop, "frame.function", "main");
	expect_line(stop, "frame", line + 2);
	expect_all(client_tool(scene.client, "rr_next", "{s:i, s:b}", "count", 2, "reverse", 1),
	    LINE("frame", line));
}
END_TEST

START_TEST(step_goes_into_a_function_and_back_out)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "main");
	expect_all(client_tool(scene.client, "rr_step", NULL), IS("frame.function", "count_up"),
	    IS("frame.args", "times=4"));
	expect_answer(
	    client_tool(scene.client, "rr_step", "{s:b}", "reverse", 1), "frame.function", "main");
}
END_TEST

START_TEST(instructions_are_stepped_singly_both_ways)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "main");
	json_t *here =
	    client_tool(scene.client, "rr_registers", "{s:[s]}", "register_names", "rip");
	json_auto_t *stop =
	    client_tool(scene.client, "rr_step", "{s:i, s:s}", "count", 2, "unit", "instruction");
	ck_assert_str_ne(answer_text(stop, "frame.address"), answer_text(here, "registers.rip"));
	client_tool_done(scene.client, "rr_step", "{s:i, s:s, s:b}", "count", 2, "unit",
	    "instruction", "reverse", 1);
	expect_same(
	    here, client_tool(scene.client, "rr_registers", "{s:[s]}", "register_names", "rip"));
}
END_TEST

/* A session in the call of is_odd for which the condition holds. */
static struct scene open_in_odd(const char *condition)
{
	struct scene scene = scene_open("recursion", NULL);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s, s:b}", "location", "is_odd",
	    "condition", condition, "temporary", 1);
	json_decref(run(&scene, 0, 1));
	return scene;
}

START_TEST(finish_gives_the_value_and_back_the_call)
{
	cleanup_scene struct scene scene = open_in_odd("number == 1");
	expect_all(client_tool(scene.client, "rr_finish", NULL), IS("reason", "finished"),
	    IS("frame.function", "is_even"), IS("return_value", "1"));
	expect_answer(client_tool(scene.client, "rr_finish", "{s:b}", "reverse", 1),
	    "frame.function", "is_odd");
}
END_TEST

START_TEST(finish_goes_out_to_a_named_caller_across_frames)
{
	cleanup_scene struct scene scene = open_in_odd("number == 401");
	expect_answer(client_tool(scene.client, "rr_finish", "{s:s}", "function", "main"),
	    "frame.function", "main");
}
END_TEST

START_TEST(until_stops_at_a_location_and_leaves_no_breakpoint)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	expect_answer(client_tool(scene.client, "rr_continue", "{s:s}", "until", "set_late"),
	    "frame.function", "set_late");
	expect_all(client_tool(scene.client, "rr_breakpoint_list", NULL), COUNT("breakpoints", 0));
}
END_TEST

START_TEST(the_ends_of_the_recording_are_said_both_ways)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	expect_answer(run(&scene, 0, 1), "reason", "end");
	expect_answer(run(&scene, 0, 1), "reason", "end");
	expect_answer(run(&scene, 1, 1), "reason", "start");
	expect_answer(run(&scene, 1, 1), "reason", "start");
	scene_run_to(&scene, "set_late");
}
END_TEST

START_TEST(run_to_event_goes_to_that_event_from_before_and_behind)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "main");
	json_auto_t *late = client_tool(scene.client, "rr_when", NULL);
	long long event = answer_number(late, "event");
	ck_assert_int_gt(event, 1);
	for (int i = 0; i < 2; i++) {
		json_auto_t *stop = client_tool(
		    scene.client, "rr_run_to_event", "{s:I}", "event_number", (json_int_t)event);
		expect_text(stop, "reason", "event");
		ck_assert_int_eq(answer_event(stop, "moment"), event);
		expect_all(client_tool(scene.client, "rr_when", NULL), NUMBER("event", event));
		json_decref(run(&scene, 0, 1)); /* to the end: the second seek goes backward */
	}
}
END_TEST

START_TEST(when_is_the_moment_of_the_stop_and_comes_back_with_it)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	set_breakpoint(&scene, "toggle");
	json_auto_t *first = run(&scene, 0, 1);
	expect_all(client_tool(scene.client, "rr_when", NULL),
	    NUMBER("event", answer_event(first, "moment")),
	    IS("moment", answer_text(first, "moment")), NUMBER("tid", answer_number(first, "tid")));
	json_auto_t *second = run(&scene, 0, 1);
	ck_assert_int_gt(answer_ticks(second, "moment"), answer_ticks(first, "moment"));
	json_auto_t *again = run(&scene, 1, 1);
	ck_assert(json_equal(answer_at(first, "moment"), answer_at(again, "moment")));
}
END_TEST

START_TEST(goto_comes_to_the_very_tick)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "set_late");
	json_auto_t *then = client_tool(scene.client, "rr_when", NULL);
	const char *moment = answer_text(then, "moment");
	static const char *const from[] = {"start", "end"};
	for (int i = 0; i < 2; i++) {
		client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", from[i]);
		/* A tick lasts several instructions, so only event and tick can be expected. */
		expect_all(client_tool(scene.client, "rr_goto", "{s:s}", "moment", moment),
		    IS("moment", moment), IS("frame.function", "set_late"));
	}
	expect_answer(
	    client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end"), "reason", "end");
}
END_TEST

START_TEST(the_moment_is_of_the_thread_that_runs_whichever_is_selected)
{
	cleanup_place struct place place = place_replay("lost_update");

	client_tool_done(place.client, "rr_continue", "{s:s}", "until", "store");
	json_auto_t *here = client_tool(place.client, "rr_when", NULL);
	json_auto_t *list = client_tool(place.client, "rr_thread_list", NULL);
	json_t *thread;
	size_t i;
	json_array_foreach(answer_at(list, "threads"), i, thread)
	{
		client_tool_done(place.client, "rr_thread_select", "{s:I}", "thread_id",
		    (json_int_t)answer_number(thread, "tid"));
		expect_all(client_tool(place.client, "rr_when", NULL),
		    IS("moment", answer_text(here, "moment")),
		    NUMBER("tid", answer_number(thread, "tid")));
	}
	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", "start");
	expect_answer(
	    client_tool(place.client, "rr_goto", "{s:s}", "moment", answer_text(here, "moment")),
	    "frame.function", "store");
}
END_TEST

START_TEST(checkpoints_are_saved_listed_restored_and_deleted)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "toggle");
	json_auto_t *saved = client_tool(scene.client, "rr_checkpoint_save", NULL);
	json_int_t id = answer_number(saved, "checkpoint_id");
	json_decref(run(&scene, 0, 1));
	expect_answer(
	    client_tool(scene.client, "rr_checkpoint_restore", "{s:I}", "checkpoint_id", id),
	    "frame.function", "toggle");
	json_auto_t *list = client_tool(scene.client, "rr_checkpoint_list", NULL);
	ck_assert_uint_eq(answer_count(list, "checkpoints"), 1);
	client_tool_done(scene.client, "rr_checkpoint_delete", "{s:I}", "checkpoint_id", id);
	expect_all(client_tool(scene.client, "rr_checkpoint_list", NULL), COUNT("checkpoints", 0));
}
END_TEST

START_TEST(conditions_ignore_counts_and_temporaries_hold)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", "fill_four",
	    "condition", "round == 2");
	expect_answer(run(&scene, 0, 1), "frame.args", "round=2");

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	json_auto_t *list = client_tool(scene.client, "rr_breakpoint_list", NULL);
	json_int_t number = answer_number(list, "breakpoints.0.number");
	client_tool_done(
	    scene.client, "rr_breakpoint_remove", "{s:I}", "breakpoint_number", number);

	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:i, s:b}", "location", "toggle",
	    "ignore_count", 2, "temporary", 1);
	expect_answer(run(&scene, 0, 1), "frame.function", "toggle");
	ck_assert_str_eq(value_in(&scene, 1, "i"), "2");
	expect_answer(run(&scene, 0, 1), "reason", "end");
}
END_TEST

START_TEST(breakpoint_list_counts_hits)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	set_breakpoint(&scene, "toggle");
	json_decref(run(&scene, 0, 3));
	expect_all(
	    client_tool(scene.client, "rr_breakpoint_list", NULL), NUMBER("breakpoints.0.hits", 3));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_stop_tells_why_where_source_and_moment,
	    a_stop_tells_what_the_program_wrote_on_the_way,
	    a_seek_tells_each_line_once_and_none_on_the_way_back,
	    what_was_told_before_a_question_is_not_told_again_nor_is_the_rest_lost,
	    a_step_where_no_lines_are_known_goes_on_to_main,
	    a_checkpoint_at_the_end_can_be_gone_back_to,
	    a_stop_is_passed_whichever_thread_is_selected,
	    a_breakpoint_for_one_thread_stops_that_one_only_wherever_the_session_goes,
	    back_where_a_library_was_not_loaded_yet_the_program_still_moves,
	    count_passes_stops_forward_and_backward,
	    a_watchpoint_shows_old_and_new_in_forward_order_both_ways,
	    a_store_of_the_same_value_is_no_change, four_watchpoints_stop_at_every_change,
	    watchpoints_of_every_kind_go_together_as_many_as_there_are_registers,
	    a_watch_bound_to_its_scope_ends_with_it_and_the_session_goes_on,
	    next_forward_and_as_often_backward_comes_to_the_same_line,
	    step_goes_into_a_function_and_back_out, instructions_are_stepped_singly_both_ways,
	    finish_gives_the_value_and_back_the_call,
	    finish_goes_out_to_a_named_caller_across_frames,
	    until_stops_at_a_location_and_leaves_no_breakpoint,
	    the_ends_of_the_recording_are_said_both_ways,
	    run_to_event_goes_to_that_event_from_before_and_behind,
	    when_is_the_moment_of_the_stop_and_comes_back_with_it, goto_comes_to_the_very_tick,
	    the_moment_is_of_the_thread_that_runs_whichever_is_selected,
	    checkpoints_are_saved_listed_restored_and_deleted,
	    conditions_ignore_counts_and_temporaries_hold, breakpoint_list_counts_hits, NULL};
	return scene_main("stops", tests,
	    (const char *const[]){
		PROGRAM, "list_corruption", "output", "recursion", "threads", NULL});
}
