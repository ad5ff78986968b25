/*
 * Programs that exec another program: sh, env, themselves, from a thread. A session stands in one
 * image of the process and crosses the exec in both directions.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

/* A trace of `sh -c "true; exec 'PROGRAM' ARGUMENT"` in a place of its own. */
static struct place shell_place(const char *program, const char *argument)
{
	struct place place = place_open();
	cleanup_free char *path = harness_program(program), *line = NULL;

	if (asprintf(&line, "true; exec '%s' %s", path, argument) < 0)
		harness_fail("out of memory");
	client_tool_done(place.client, "rr_record", "{s:[s,s,s], s:s}", "command", "sh", "-c", line,
	    "trace_dir", place.trace);
	return place;
}

static struct place self_place(void)
{
	struct place place = place_open();

	json_decref(client_record(place.client, place.trace, "exec_self", NULL));
	return place;
}

static json_t *replay_at(struct place *place, const char *at)
{
	return client_tool(
	    place->client, "rr_replay_start", "{s:s, s:s}", "trace_dir", place->trace, "at", at);
}

static json_t *go_on(struct place *place, int reverse)
{
	return client_tool(place->client, "rr_continue", "{s:b}", "reverse", reverse);
}

static void set_breakpoint(struct place *place, const char *location)
{
	client_tool_done(place->client, "rr_breakpoint_set", "{s:s}", "location", location);
}

START_TEST(ps_lists_the_images_of_a_process)
{
	cleanup_place struct place place = shell_place("exit_code", "3");
	json_auto_t *list = client_tool(place.client, "rr_ps", "{s:s}", "trace_dir", place.trace);

	ck_assert_uint_eq(answer_count(list, "processes.0.images"), 2);
	expect_within(list, "processes.0.images.0.file", "sh");
	expect_within(list, "processes.0.images.1.file", "exit_code");
	ck_assert_int_gt(answer_number(list, "processes.0.images.1.event"),
	    answer_number(list, "processes.0.images.0.event"));
}
END_TEST

START_TEST(a_session_follows_into_the_last_image)
{
	cleanup_place struct place place = shell_place("recursion", "");
	expect_all(client_tool(place.client, "rr_replay_start", "{s:s}", "trace_dir", place.trace),
	    HAS("command", "recursion"), COUNT("images", 2), TRUE("images.1.current"));
	set_breakpoint(&place, "is_even");
	expect_all(go_on(&place, 0), IS("reason", "breakpoint"), IS("frame.function", "is_even"));
}
END_TEST

START_TEST(from_the_first_image_a_run_comes_to_the_exec_and_goes_on_behind_it)
{
	cleanup_place struct place place = self_place();
	json_auto_t *started = replay_at(&place, "1");
	json_t *stop;
	static const char *const counts[] = {"1", "2", "2"};

	ck_assert_uint_eq(answer_count(started, "images"), 4);
	ck_assert(answer_true(started, "images.0.current"));
	set_breakpoint(&place, "main");
	/* A thread makes the third exec, and rr dies when it runs into that. */
	for (int i = 0; i < 4; i++) {
		expect_all(
		    go_on(&place, 0), IS("reason", "breakpoint"), IS("frame.function", "main"));
		if (i)
			expect_value(place.client, "argc", counts[1]);
		stop = go_on(&place, 0);
		expect_text(stop, "reason", i < 3 ? "exec" : "end");
		if (i < 3) {
			char current[40];
			snprintf(current, sizeof(current), "images.%d.current", i + 1);
			ck_assert(answer_true(stop, current));
		}
		json_decref(stop);
	}
	expect_all(client_tool(place.client, "rr_breakpoint_list", NULL), COUNT("breakpoints", 1),
	    NUMBER("breakpoints.0.hits", 4));
}
END_TEST

START_TEST(going_back_crosses_the_exec_too)
{
	cleanup_place struct place place = self_place();
	json_auto_t *started = replay_at(&place, "start");

	ck_assert(answer_true(started, "images.3.current"));
	set_breakpoint(&place, "exec_next");
	set_breakpoint(&place, "main");
	for (int i = 3; i > 0; i--) {
		expect_all(go_on(&place, 1), IS("reason", "breakpoint"),
		    IS("frame.function", "exec_next"));
		expect_all(
		    go_on(&place, 1), IS("reason", "breakpoint"), IS("frame.function", "main"));
		expect_answer(go_on(&place, 1), "reason", i > 1 ? "exec" : "start");
	}
}
END_TEST

START_TEST(moments_of_every_image_can_be_gone_to)
{
	cleanup_place struct place place = self_place();
	json_decref(replay_at(&place, "1"));
	json_t *stop;
	char moments[4][64];
	static const char *const values[] = {"1", "2", "2", "2"};

	client_tool_done(place.client, "rr_breakpoint_set", "{s:s}", "location", "main");
	for (int i = 0; i < 4; i++) {
		stop = go_on(&place, 0);
		expect_text(stop, "frame.function", "main");
		snprintf(moments[i], sizeof(moments[i]), "%s", answer_text(stop, "moment"));
		json_decref(stop);
		json_decref(go_on(&place, 0));
	}
	static const int order[] = {0, 3, 1, 2, 0, 2};
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		expect_answer(
		    client_tool(place.client, "rr_goto", "{s:s}", "moment", moments[order[i]]),
		    "frame.function", "main");
		expect_value(place.client, "argc", values[order[i]]);
	}
	expect_answer(
	    client_tool(place.client, "rr_goto", "{s:s}", "moment", "end"), "reason", "end");
}
END_TEST

START_TEST(a_step_back_from_the_first_instruction_comes_to_the_call_of_exec)
{
	cleanup_place struct place place = self_place();
	json_decref(replay_at(&place, "start"));

	expect_all(
	    client_tool(place.client, "rr_step", "{s:s, s:b}", "unit", "instruction", "reverse", 1),
	    IS("reason", "exec"), TRUE("images.2.current"));
	json_auto_t *trace = client_tool(place.client, "rr_backtrace", NULL);
	cleanup_free char *text = answer_show(trace);
	ck_assert_ptr_nonnull(strstr(text, "exec_next"));
}
END_TEST

START_TEST(a_watchpoint_belongs_to_its_image)
{
	cleanup_place struct place place = self_place();
	json_decref(replay_at(&place, "1"));

	client_tool_done(
	    place.client, "rr_breakpoint_set", "{s:s, s:b}", "location", "main", "temporary", 1);
	json_decref(go_on(&place, 0));
	client_tool_done(place.client, "rr_watchpoint_set", "{s:s}", "expression", "path");
	expect_answer(go_on(&place, 0), "reason", "watchpoint");
	for (int i = 0; i < 3; i++) {
		expect_answer(go_on(&place, 0), "reason", "exec");
	}
	expect_all(client_tool(place.client, "rr_breakpoint_list", NULL), COUNT("breakpoints", 1),
	    TRUE("breakpoints.0.elsewhere"));
	/* Back in its image it is there again. */
	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", "40");
	expect_answer(go_on(&place, 0), "reason", "watchpoint");
}
END_TEST

START_TEST(a_checkpoint_in_another_image_is_gone_back_to)
{
	cleanup_place struct place place = self_place();
	json_decref(replay_at(&place, "1"));

	client_tool_done(place.client, "rr_breakpoint_set", "{s:s, s:b}", "location", "exec_next",
	    "temporary", 1);
	json_decref(go_on(&place, 0));
	expect_value(
	    place.client, "next_count", "\"2\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\"");
	json_auto_t *saved = client_tool(place.client, "rr_checkpoint_save", NULL);
	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", "end");
	expect_answer(client_tool(place.client, "rr_checkpoint_restore", "{s:I}", "checkpoint_id",
			  (json_int_t)answer_number(saved, "checkpoint_id")),
	    "frame.function", "exec_next");
	expect_value(
	    place.client, "next_count", "\"2\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\"");
}
END_TEST

START_TEST(a_session_whose_rr_dies_comes_back_in_its_image)
{
	cleanup_place struct place place = self_place();
	json_decref(replay_at(&place, "1"));

	set_breakpoint(&place, "exec_next");
	json_decref(go_on(&place, 0));
	expect_answer(go_on(&place, 0), "reason", "exec");
	json_decref(go_on(&place, 0));
	expect_value(place.client, "next_count[0]", "49 '1'");
	census_end_session(client_pid(place.client));
	expect_all(client_tool(place.client, "rr_evaluate", "{s:s}", "expression", "next_count[0]"),
	    TRUE("restored"), IS("value", "49 '1'"));
	/* The session can still cross; here, a thread's exec. */
	expect_all(go_on(&place, 0), IS("reason", "exec"), TRUE("images.2.current"));
}
END_TEST

START_TEST(a_crash_report_is_of_the_program_that_crashed)
{
	cleanup_place struct place place = shell_place("list_corruption", "");
	expect_all(client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace),
	    IS("signal", "SIGSEGV"), IS("frames.0.function", "report_total"));
}
END_TEST

/* Records a program that starts another one, which crashes; returns the latter's pid. */
static json_int_t record_parent(struct place *place, json_t *command)
{
	client_tool_done(place->client, "rr_record", "{s:o, s:s}", "command", command, "trace_dir",
	    place->trace);
	json_auto_t *list = client_tool(place->client, "rr_ps", "{s:s}", "trace_dir", place->trace);
	json_int_t child = answer_number(list, "processes.1.pid");
	return child;
}

START_TEST(the_child_that_crashed_is_reported)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("list_corruption"), *line = NULL;

	if (asprintf(&line, "'%s'; exit 7", program) < 0)
		harness_fail("out of memory");
	json_int_t child = record_parent(&place, json_pack("[s,s,s]", "sh", "-c", line));
	json_auto_t *report =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	expect_number(report, "tid", child);
	expect_text(report, "frames.0.function", "report_total");
	/* A report on the shell, if the call asks for that. It ended badly too, and the report says
	 * whose fault that was. */
	expect_all(client_tool(place.client, "rr_crash_report", "{s:s, s:I}", "trace_dir",
		       place.trace, "pid", child - 1),
	    NUMBER("exit_code", 7), NUMBER("other_crash.pid", child),
	    IS("other_crash.signal", "SIGSEGV"));
}
END_TEST

/* timeout kills itself with the signal that killed its child. */
START_TEST(a_program_below_timeout_is_reported_and_not_timeout)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("list_corruption");
	json_int_t child = record_parent(&place, json_pack("[s,s,s]", "timeout", "60", program));
	expect_all(client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace),
	    NUMBER("tid", child), IS("frames.0.function", "report_total"));
}
END_TEST

START_TEST(who_wrote_it_is_found_in_the_image_and_not_before)
{
	cleanup_place struct place place = shell_place("many_watch", "");
	json_decref(replay_at(&place, "end"));

	expect_answer(client_tool(place.client, "rr_last_change", "{s:s}", "expression", "late"),
	    "frame.function", "set_late");
	expect_answer_within(client_tool_fails(place.client, "rr_last_change", "not_found", "{s:s}",
				 "expression", "rewritten"),
	    "hint", "exec");
}
END_TEST

START_TEST(env_and_timeout_lead_to_the_program)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("recursion");

	client_tool_done(place.client, "rr_record", "{s:[s,s,s,s,s], s:s}", "command", "timeout",
	    "60", "env", "X=1", program, "trace_dir", place.trace);
	json_auto_t *list = client_tool(place.client, "rr_ps", "{s:s}", "trace_dir", place.trace);
	expect_answer_within(
	    client_tool(place.client, "rr_replay_start", "{s:s, s:I}", "trace_dir", place.trace,
		"pid", (json_int_t)answer_number(list, "processes.1.pid")),
	    "command", "recursion");
	set_breakpoint(&place, "is_even");
	expect_answer(go_on(&place, 0), "frame.function", "is_even");
}
END_TEST

/* Programs that lead to another one, which sends itself a signal or (NULL) waits for one. */
static const struct {
	const char *words[4];
	const char *number, *signal;
} leaders[] = {
    {{"timeout", "1"}, NULL, "SIGTERM"},
    {{"sh", "-c", "exec \"$0\" \"$1\""}, "15", "SIGTERM"},
    {{"sh", "-c", "exec \"$0\" \"$1\""}, "9", "SIGKILL"},
    {{"env", "X=1"}, "15", "SIGTERM"},
    {{"env", "X=1"}, "9", "SIGKILL"},
    {{"timeout", "60"}, "15", "SIGTERM"},
};

START_TEST(a_signal_that_ends_the_program_behind_an_exec_is_reported)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("ends_itself");
	json_t *command = json_array();

	for (int i = 0; leaders[_i].words[i]; i++)
		json_array_append_new(command, json_string(leaders[_i].words[i]));
	json_array_append_new(command, json_string(program));
	if (leaders[_i].number)
		json_array_append_new(command, json_string(leaders[_i].number));
	client_tool_done(
	    place.client, "rr_record", "{s:o, s:s}", "command", command, "trace_dir", place.trace);
	json_auto_t *report =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	cleanup_free char *frames = answer_show(answer_at(report, "frames"));
	expect_text(report, "signal", leaders[_i].signal);
	expect_within(report, "conclusion", leaders[_i].number ? "it sent itself" : "from outside");
	ck_assert_msg(strstr(frames, leaders[_i].number ? "end_by" : "main") != NULL, "%s", frames);
	expect_within(report, "output", "before the end");
}
END_TEST

/* Sizes 1, 4 and 7; the last is too large, and an exception leaves the calls. */
START_TEST(a_cpp_program_behind_an_exec_is_walked_in_by_its_own_names)
{
	cleanup_place struct place place = shell_place("thrower", "");

	json_decref(replay_at(&place, "start"));
	set_breakpoint(&place, "work::Part::checked");
	for (int size = 1; size <= 7; size += 3) {
		char text[12];
		snprintf(text, sizeof(text), "%d", size);
		expect_answer(go_on(&place, 0), "frame.function", "work::Part::checked");
		expect_value(place.client, "size_", text);
	}
	expect_answer(go_on(&place, 0), "reason", "end");
	expect_answer(go_on(&place, 1), "frame.function", "work::Part::checked");
	expect_value(place.client, "this->size_", "7");
	/* Back across the exec, the names are the shell's. */
	for (int i = 0; i < 2; i++)
		expect_answer(go_on(&place, 1), "reason", "breakpoint");
	expect_answer(go_on(&place, 1), "reason", "exec");
	client_tool_refused(
	    place.client, "rr_evaluate", NULL, "{s:s}", "expression", "work::count(1)");
}
END_TEST

START_TEST(a_cpp_program_that_ends_badly_behind_an_exec_is_reported_from_its_own_line)
{
	cleanup_place struct place place = shell_place("ends_classes", "throw");
	json_auto_t *report =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	cleanup_free char *frames = answer_show(answer_at(report, "frames"));

	expect_text(report, "signal", "SIGABRT");
	ck_assert_msg(strstr(frames, "shop::order::check") != NULL, "%s", frames);
	expect_within(report, "source", "throw std::runtime_error");
}
END_TEST

/* Goes on until the reason is this one. Returns what was printed on the way, to be freed. */
static char *printed_until(struct scene *scene, const char *reason, bool reverse)
{
	char printed[1000] = "";

	for (int stops = 0; stops < 12; stops++) {
		json_auto_t *stop =
		    client_tool(scene->client, "rr_continue", "{s:b}", "reverse", reverse);
		const json_t *output = answer_at(stop, "output");

		if (output)
			strlcat(printed, json_string_value(output), sizeof(printed));
		if (strcmp(answer_text(stop, "reason"), reason) == 0)
			return strdup(printed);
	}
	harness_fail("no stop with the reason %s", reason);
}

/* Each image has an rr of its own, which says how to connect to it. */
START_TEST(what_rr_says_of_itself_between_images_is_none_of_the_output)
{
	cleanup_scene struct scene scene = scene_open("exec_self", NULL);

	for (int round = 0; round < 2; round++) {
		cleanup_free char *back = printed_until(&scene, "start", true);
		cleanup_free char *printed = printed_until(&scene, "end", false);

		ck_assert_str_eq(printed, "count 3\ncount 2\ncount 1\ncount 0\n");
		ck_assert_str_eq(back, "");
	}
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {ps_lists_the_images_of_a_process, 1},
	    {a_session_follows_into_the_last_image, 1},
	    {from_the_first_image_a_run_comes_to_the_exec_and_goes_on_behind_it, 1},
	    {going_back_crosses_the_exec_too, 1},
	    {what_rr_says_of_itself_between_images_is_none_of_the_output, 1},
	    {moments_of_every_image_can_be_gone_to, 1},
	    {a_step_back_from_the_first_instruction_comes_to_the_call_of_exec, 1},
	    {a_watchpoint_belongs_to_its_image, 1},
	    {a_checkpoint_in_another_image_is_gone_back_to, 1},
	    {a_session_whose_rr_dies_comes_back_in_its_image, 1},
	    {a_crash_report_is_of_the_program_that_crashed, 1},
	    {the_child_that_crashed_is_reported, 1},
	    {a_program_below_timeout_is_reported_and_not_timeout, 1},
	    {who_wrote_it_is_found_in_the_image_and_not_before, 1},
	    {env_and_timeout_lead_to_the_program, 1},
	    {a_signal_that_ends_the_program_behind_an_exec_is_reported, TIMES(leaders)},
	    {a_cpp_program_behind_an_exec_is_walked_in_by_its_own_names, 1},
	    {a_cpp_program_that_ends_badly_behind_an_exec_is_reported_from_its_own_line, 1},
	    {NULL, 0},
	};

	return scene_main_loops("exec", tests, (const char *const[]){"exec_self", NULL});
}
