/*
 * Searches with conditions, in both directions and up to their deadline; and values at moments
 * other than the session's. tests/programs/straight.c has many hits in one moment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define PROGRAM	 "straight"
#define SHORT	 PROGRAM " 30"
#define LONG	 PROGRAM " 1000000"
#define HITS_MAX 64
#define TEXT_MAX 80

/* What a stop says about a hit, the same from both directions. */
struct told {
	char text[HITS_MAX][TEXT_MAX];
	size_t count;
};

/* The moment without its pc, because the pc after a write differs from the one before. */
static void tell(char text[TEXT_MAX], const json_t *stop)
{
	const char *moment = answer_text(stop, "moment");

	snprintf(text, TEXT_MAX, "%.*s %s", (int)strcspn(moment, "@"), moment,
	    answer_at(stop, "watch") ? answer_text(stop, "watch.new")
				     : answer_text(stop, "frame.args"));
}

/* Runs to an end of the recording, and keeps every hit on the way. */
static void run(struct scene *scene, bool reverse, struct told *told)
{
	told->count = 0;
	for (;;) {
		json_auto_t *stop =
		    client_tool(scene->client, "rr_continue", "{s:b}", "reverse", reverse);
		const char *reason = answer_text(stop, "reason");
		bool edge = strcmp(reason, reverse ? "start" : "end") == 0;

		ck_assert_uint_lt(told->count, HITS_MAX);
		if (!edge)
			tell(told->text[told->count++], stop);
		if (edge)
			return;
	}
}

/* The hits on the way there and on the way back are the same. */
static void expect_same_hits(struct scene *scene, size_t hits)
{
	struct told there, back;

	run(scene, false, &there);
	run(scene, true, &back);
	ck_assert_uint_eq(there.count, hits);
	ck_assert_uint_eq(back.count, hits);
	for (size_t i = 0; i < hits; i++)
		ck_assert_str_eq(back.text[i], there.text[hits - 1 - i]);
}

/* Stops for the writes for which the condition holds. */
static void watch(struct scene *scene, const char *expression, const char *condition)
{
	client_tool_done(scene->client, "rr_watchpoint_set", "{s:s, s:s}", "expression", expression,
	    "condition", condition);
}

/* A session at main that stops for the writes to `value` for which the condition holds. */
static struct scene watch_value(const char *condition)
{
	struct scene scene = scene_open_at(PROGRAM, "main");

	watch(&scene, "value", condition);
	return scene;
}

START_TEST(a_condition_on_a_watchpoint_means_the_same_writes_in_both_directions)
{
	cleanup_scene struct scene scene = watch_value("value % 2 == 0");

	expect_same_hits(&scene, 9);
}
END_TEST

START_TEST(a_condition_on_a_breakpoint_means_the_same_calls_in_both_directions)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "main");
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", "mark",
	    "condition", "number % 2 == 0");
	expect_same_hits(&scene, 6);
}
END_TEST

START_TEST(a_count_passes_hits_of_a_condition_back_too)
{
	cleanup_scene struct scene scene = watch_value("value == 3");

	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_all(client_tool(scene.client, "rr_continue", "{s:b, s:i}", "reverse", 1, "count", 3),
	    IS("watch.old", "2"), IS("watch.new", "3"));
	json_auto_t *list = client_tool(scene.client, "rr_breakpoint_list", NULL);
	expect_number(json_array_get(answer_at(list, "breakpoints"), 0), "hits", 3);
	expect_answer(
	    client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1), "reason", "start");
}
END_TEST

/* If only gdb's own way is left, the answer must not present other writes as hits. */
START_TEST(a_condition_that_cannot_be_searched_for_backward_is_refused)
{
	cleanup_scene struct scene scene = watch_value("value == 3");

	client_tool_done(
	    scene.client, "rr_breakpoint_set", "{s:s, s:b}", "location", "row", "temporary", 1);
	client_tool_refused(scene.client, "rr_continue", "unsupported", "{s:b}", "reverse", 1);
}
END_TEST

START_TEST(values_are_told_with_the_stop)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_t *stop = client_tool(scene.client, "rr_continue", "{s:s, s:[s, s, s]}", "until",
	    "mark", "evaluate", "number", "value", "nobody");
	const json_t *values = answer_at(stop, "evaluated");
	ck_assert_str_eq(json_string_value(json_object_get(values, "number")), "1");
	ck_assert_str_eq(json_string_value(json_object_get(values, "value")), "6");
	ck_assert_ptr_nonnull(
	    strstr(json_string_value(json_object_get(values, "nobody")), "No symbol"));
	json_decref(stop);
	stop = client_tool(scene.client, "rr_last_change", "{s:s, s:[s]}", "expression", "value",
	    "evaluate", "value");
	values = answer_at(stop, "evaluated");
	ck_assert_str_eq(json_string_value(json_object_get(values, "value")), "5");
	json_decref(stop);
}
END_TEST

START_TEST(another_moment_is_looked_at_without_moving_there)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	json_t *stop = client_tool(scene.client, "rr_continue", "{s:s}", "until", "mark");
	cleanup_free char *earlier = strdup(answer_text(stop, "moment"));
	json_decref(stop);
	stop = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");
	cleanup_free char *here = strdup(answer_text(stop, "moment"));
	json_decref(stop);

	expect_answer(client_tool(scene.client, "rr_evaluate", "{s:s, s:s}", "expression", "number",
			  "at", earlier),
	    "value", "1");
	json_auto_t *answer = client_tool(scene.client, "rr_backtrace", "{s:s}", "at", earlier);
	expect_text(json_array_get(answer_at(answer, "frames"), 0), "function", "mark");
	client_tool_refused(scene.client, "rr_evaluate", "invalid_argument", "{s:s, s:s}",
	    "expression", "value", "at", "99999999");

	expect_answer(client_tool(scene.client, "rr_when", NULL), "moment", here);
}
END_TEST

/* Far more writes than any machine can check in a second. */
START_TEST(a_search_that_is_cut_off_says_what_share_it_searched)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);
	client_tool_done(scene.client, "rr_continue", "{s:s}", "until", "main");
	watch(&scene, "counter", "counter < 0");
	expect_all(
	    client_tool_fails(scene.client, "rr_continue", "timeout", "{s:i}", "deadline", 1),
	    HAS("searched", "% of the way to the end"), HAS("hint", "same call"));
}
END_TEST

/* As above, with conditions that gdb evaluates itself, because they are of floating point, and with
 * reads, which stop the processor. What the answer concludes is about the part that was searched.
 * (Which lines ran may be known before their counts are: see test_deadlines.) */
static const struct {
	const char *tool, *args;
} cut_off[] = {
    {"rr_trace_calls",
	"{\"location\": \"straight.c:44\", \"condition\": \"counter < -0.5\", \"deadline\": 1}"},
    {"rr_value_history", "{\"expression\": \"counter\", \"access\": \"access\", \"deadline\": 1}"},
    {"rr_when_became", "{\"predicate\": \"counter < -0.5\", \"deadline\": 1}"},
};

START_TEST(a_question_that_is_cut_off_answers_for_the_part_that_was_searched)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);
	json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");

	for (size_t i = 0; i < sizeof(cut_off) / sizeof(*cut_off); i++) {
		expect_all(client_tool_result(scene.client,
			       client_tool_send(scene.client, cut_off[i].tool,
				   json_loads(cut_off[i].args, 0, NULL)),
			       HARNESS_TIMEOUT_S),
		    HAS("conclusion", "in the part that was searched"),
		    HAS("cut_off", "call again with from="), ABSENT("never"));
		expect_answer(client_tool(scene.client, "rr_when", NULL), "moment",
		    answer_text(end, "moment"));
	}
}
END_TEST

/* These may have nothing to say when the time is over, and may have to be killed. Whatever happens,
 * they say what to do, and the session is where it was. */
static const struct {
	const char *tool, *args;
	bool may_end; /* it can be done in that time */
} out_of_time[] = {
    {"rr_last_time",
	"{\"location\": \"straight.c:44\", \"condition\": \"counter < -0.5\", \"deadline\": 1}",
	false},
    {"rr_origin_of", "{\"expression\": \"counter\", \"deadline\": 1}", true},
    {"rr_heap_history", "{\"pointer\": \"&counter\", \"deadline\": 1}", true},
    {"rr_frame_story", "{\"location\": \"main\", \"deadline\": 1}", false},
    {"rr_who_printed", "{\"text\": \"counter\", \"deadline\": 1}", true},
};

static void expect_out_of_time(const json_t *message, bool may_end)
{
	const json_t *result = json_object_get(message, "result");
	const json_t *answer = json_object_get(result, "structuredContent");
	const char *kind = json_string_value(json_object_get(answer, "kind"));
	bool cut = json_object_get(answer, "cut_off") || (kind && strcmp(kind, "cut_off") == 0);

	if (json_is_true(json_object_get(result, "isError"))) {
		expect_text(answer, "code", "timeout");
		expect_within(answer, "hint", "longer deadline");
	} else {
		ck_assert(cut || may_end);
	}
}

START_TEST(a_question_that_runs_out_of_time_says_so_and_leaves_the_session)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);
	json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");

	for (size_t i = 0; i < sizeof(out_of_time) / sizeof(*out_of_time); i++) {
		json_auto_t *message = client_wait(scene.client,
		    client_tool_send(scene.client, out_of_time[i].tool,
			json_loads(out_of_time[i].args, 0, NULL)),
		    HARNESS_TIMEOUT_S);

		expect_out_of_time(message, out_of_time[i].may_end);
		expect_answer(client_tool(scene.client, "rr_when", NULL), "moment",
		    answer_text(end, "moment"));
	}
}
END_TEST

/* A search that runs forward over one long event finds nothing out when it is cut off. */
START_TEST(a_search_back_that_found_nothing_out_does_not_say_that_it_goes_on)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);
	json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");
	watch(&scene, "counter", "counter < 0");
	json_auto_t *failure = client_tool_fails(
	    scene.client, "rr_continue", "timeout", "{s:b, s:i}", "reverse", 1, "deadline", 1);
	expect_text(failure, "moment", answer_text(end, "moment"));
	ck_assert_ptr_null(answer_at(failure, "searched"));
	expect_within(failure, "hint", "longer deadline");
	ck_assert_ptr_null(strstr(answer_text(failure, "hint"), "goes on"));
}
END_TEST

/* Each hit of the neighbour costs gdb a search of its own. What the answer says is to be so,
 * however far the search came. */
START_TEST(a_search_back_that_is_cut_off_says_whether_it_goes_on_from_there)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "parts.high");
	json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");
	long long ticks = answer_ticks(end, "moment");

	for (int i = 0; i < 2; i++) {
		json_auto_t *failure = client_tool_fails(scene.client, "rr_continue", "timeout",
		    "{s:b, s:i}", "reverse", 1, "deadline", 2);
		bool moved = answer_ticks(failure, "moment") < ticks;

		ck_assert_int_le(answer_ticks(failure, "moment"), ticks);
		ck_assert_int_eq(answer_at(failure, "searched") != NULL, moved);
		expect_within(failure, "hint", moved ? "goes on from here" : "begins again");
		ticks = answer_ticks(failure, "moment");
	}
}
END_TEST

/* Skips writes to the byte that do not change the bit-field, on the way back and in the search for
 * its last change. Nothing before writes the bit-field itself. */
START_TEST(writes_of_a_neighbour_in_the_same_byte_are_passed_by)
{
	cleanup_scene struct scene scene = scene_open(SHORT, NULL);
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "parts.high");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_all(client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1),
	    IS("reason", "watchpoint"), IS("watch.old", "0"), IS("watch.new", "1"));
	expect_answer(client_tool(scene.client, "rr_continue", NULL), "watch.new", "1");
	client_tool_refused(
	    scene.client, "rr_last_change", "not_found", "{s:s}", "expression", "parts.low");
	expect_answer(client_tool(scene.client, "rr_continue", NULL), "reason", "end");
}
END_TEST

/* A watchpoint's search ended at its limit; that says nothing of a run that has none. */
START_TEST(a_run_back_after_a_long_search_ends_at_the_first_breakpoint_behind)
{
	cleanup_scene struct scene scene = scene_open(SHORT, NULL);
	json_auto_t *set =
	    client_tool(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "parts.high");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_answer(
	    client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1), "watch.new", "1");
	client_tool_done(scene.client, "rr_breakpoint_remove", "{s:O}", "breakpoint_number",
	    answer_at(set, "number"));
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s}", "location", "mark");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	expect_answer(client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1), "frame.args",
	    "number=4");
	expect_answer(client_tool(scene.client, "rr_continue", NULL), "reason", "end");
}
END_TEST

/* rr, which cannot step a thread back to before it began, runs to the start of the recording. */
START_TEST(a_step_back_over_a_threads_beginning_leaves_the_session_where_it_stood)
{
	static const char *const tools[] = {"rr_step", "rr_next"};
	cleanup_place struct place place = place_replay("walks_static", "threads", "2");
	client_tool_done(place.client, "rr_breakpoint_set", "{s:s}", "location", "start_thread");
	json_auto_t *stop = client_tool(place.client, "rr_continue", NULL);
	expect_text(stop, "reason", "breakpoint");
	for (int i = 0; i < 2; i++) {
		client_tool_refused(place.client, tools[i], "unsupported", "{s:b, s:i, s:s}",
		    "reverse", 1, "count", 20, "unit", "instruction");
		expect_answer(client_tool(place.client, "rr_when", NULL), "moment",
		    answer_text(stop, "moment"));
	}
}
END_TEST

/* gdb would check the condition before the write, where it holds for other writes. */
START_TEST(a_step_back_says_that_conditions_of_watchpoints_did_not_stop_it)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	client_tool_done(scene.client, "rr_continue", "{s:s}", "until", "mark");
	watch(&scene, "value", "value == 3");
	json_auto_t *stop =
	    client_tool(scene.client, "rr_next", "{s:b, s:i}", "reverse", 1, "count", 5);
	expect_text(stop, "reason", "step");
	expect_line(stop, "frame", harness_line(PROGRAM, "value = 3;"));
	ck_assert_ptr_nonnull(strstr(answer_text(stop, "note"), "rr_continue"));
	expect_answer(client_tool(scene.client, "rr_continue", NULL), "watch.new", "3");
	expect_answer(
	    client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1), "watch.new", "3");
}
END_TEST

/* From the function `inner` back to the line of its caller, and further back in that. */
static void step_back_in(const char *name, const char *inner, const char *outer)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program(name);

	client_tool_done(place.client, "rr_record", "{s:[s, s, s], s:s}", "command", program,
	    "threads", "2", "trace_dir", place.trace);
	free(client_replay(place.client, place.trace));
	json_t *stop =
	    client_tool(place.client, "rr_continue", "{s:s, s:i}", "until", inner, "count", 2);
	client_tool_done(place.client, "rr_goto", "{s:s}", "moment", answer_text(stop, "moment"));
	json_decref(stop);
	stop = client_tool(place.client, "rr_finish", "{s:b}", "reverse", 1);
	expect_text(stop, "reason", "finished");
	long long first = answer_line(stop, "frame"), line = first;
	for (int i = 0; i < 4; i++) {
		ck_assert_ptr_nonnull(strstr(answer_text(stop, "frame.function"), outer));
		ck_assert_int_le(answer_line(stop, "frame"), line);
		line = answer_line(stop, "frame");
		json_decref(stop);
		stop = client_tool(place.client, "rr_next", "{s:b}", "reverse", 1);
		expect_text(stop, "reason", "step");
	}
	json_decref(stop);
	ck_assert_int_lt(line, first);
	expect_answer(
	    client_tool(place.client, "rr_step", "{s:b}", "reverse", 1), "reason", "step");
}

/* gdb takes the whole of such a program for the dynamic linker, and runs back through all of it. */
START_TEST(steps_back_in_a_statically_linked_c_program_end_where_they_should)
{
	step_back_in("walks_static", "set_text", "touch");
}
END_TEST

START_TEST(steps_back_in_a_statically_linked_cpp_program_end_where_they_should)
{
	step_back_in("walks_classes", "bank::Ledger::set_text", "bank::Ledger::touch");
}
END_TEST

static size_t count_dead(const struct client *client)
{
	static struct census census;
	size_t dead = 0;

	census_take(client_pid(client), &census);
	for (size_t i = 0; i < census.count; i++)
		dead += census.processes[i].state == 'Z';
	return dead;
}

/* Each seek ends one process per thread. Those of the last seek may still exist. */
START_TEST(seeks_leave_no_dead_processes_behind)
{
	cleanup_place struct place place = place_replay("walks_static", "threads", "16");
	json_auto_t *stop = client_tool(place.client, "rr_continue", "{s:s}", "until", "touch");
	for (int i = 0; i < 10; i++) {
		client_tool_done(place.client, "rr_goto", "{s:s}", "moment", "end");
		client_tool_done(
		    place.client, "rr_goto", "{s:s}", "moment", answer_text(stop, "moment"));
	}
	ck_assert_uint_lt(count_dead(place.client), 80);
}
END_TEST

/* Each moment that a call visits leaves a process behind; this session may have 64. */
START_TEST(a_call_that_goes_to_too_many_moments_ends_before_rr_cannot_fork)
{
	static const char *const few[] = {"--processes=64", NULL};
	const struct client_options options = {.args = few};
	cleanup_scene struct scene scene = scene_open(PROGRAM, &options);
	json_t *claims = json_array();
	scene_run_to(&scene, "main");
	json_auto_t *here = client_tool(scene.client, "rr_when", NULL);
	for (int i = 0; i < 50; i++)
		json_array_append_new(claims, json_pack("{s:i, s:s, s:s}", "moment", 20 + i,
						  "expression", "1", "value", "1"));
	client_tool_refused(scene.client, "rr_verify_claims", "limit", "{s:o}", "claims", claims);
	expect_answer(
	    client_tool(scene.client, "rr_when", NULL), "moment", answer_text(here, "moment"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_condition_on_a_watchpoint_means_the_same_writes_in_both_directions,
	    a_condition_on_a_breakpoint_means_the_same_calls_in_both_directions,
	    a_count_passes_hits_of_a_condition_back_too,
	    a_condition_that_cannot_be_searched_for_backward_is_refused,
	    values_are_told_with_the_stop, another_moment_is_looked_at_without_moving_there,
	    a_search_that_is_cut_off_says_what_share_it_searched,
	    a_question_that_runs_out_of_time_says_so_and_leaves_the_session,
	    a_question_that_is_cut_off_answers_for_the_part_that_was_searched,
	    writes_of_a_neighbour_in_the_same_byte_are_passed_by,
	    a_run_back_after_a_long_search_ends_at_the_first_breakpoint_behind,
	    a_step_back_over_a_threads_beginning_leaves_the_session_where_it_stood,
	    a_search_back_that_found_nothing_out_does_not_say_that_it_goes_on,
	    a_search_back_that_is_cut_off_says_whether_it_goes_on_from_there,
	    a_step_back_says_that_conditions_of_watchpoints_did_not_stop_it,
	    steps_back_in_a_statically_linked_c_program_end_where_they_should,
	    steps_back_in_a_statically_linked_cpp_program_end_where_they_should,
	    seeks_leave_no_dead_processes_behind,
	    a_call_that_goes_to_too_many_moments_ends_before_rr_cannot_fork, NULL};

	return scene_main("searches", tests, (const char *const[]){PROGRAM, SHORT, LONG, NULL});
}
