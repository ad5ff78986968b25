/*
 * Questions that one call answers: what a report says about each kind of end, and what
 * rr_last_change says about a write.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/hang.h"
#include "tests/e2e/scene.h"

/* "=> N" of the first line of the program's source that holds `text`. */
static void expect_marked(const json_t *answer, const char *program, const char *text)
{
	const char *mark = strstr(answer_text(answer, "source"), "=>");

	ck_assert_ptr_nonnull(mark);
	ck_assert_int_eq(strtoll(mark + 2, NULL, 10), harness_line(program, text));
}

static bool has_local(const json_t *frame, const char *begin)
{
	json_t *line;
	size_t i;

	json_array_foreach(json_object_get(frame, "locals"), i,
	    line) if (strncmp(json_string_value(line), begin, strlen(begin)) == 0) return true;
	return false;
}

/* The first frame that is not folded. */
static const json_t *first_frame(const json_t *report)
{
	const json_t *frames = answer_at(report, "frames"), *frame;
	size_t i;

	json_array_foreach(
	    frames, i, frame) if (json_object_get(frame, "folded") == NULL) return frame;
	harness_fail("no frames");
}

#define HANGING_THREADS 4

static void record_hang(struct place *place, const char *name)
{
	cleanup_free char *program = harness_program(name);

	hang_record(place->client, place->trace, json_pack("[s]", program), HANGING_THREADS);
}

static const json_t *thread_with(const json_t *report, const char *waits_for)
{
	const json_t *threads = answer_at(report, "threads"), *thread;
	size_t i;

	json_array_foreach(threads, i, thread)
	{
		const char *what = json_string_value(json_object_get(thread, "waits_for"));
		if (what != NULL && strcmp(what, waits_for) == 0)
			return thread;
	}
	harness_fail("nobody waits for %s: %s", waits_for, answer_show(threads));
}

/* The same hang in C and in C++, as it is named there. */
static const struct {
	const char *program, *source, *left, *right, *condition, *function, *line;
} hangs[] = {
    {"deadlock", "deadlock", "mutex left", "mutex right", "condition opened", "transfer",
	"pthread_mutex_lock(&to->lock);"},
    {"deadlock_classes", "deadlock_classes.cc", "mutex bank::left", "mutex bank::right",
	"condition bank::opened", "bank::transfer", "std::lock_guard<std::mutex> second(to.lock);"},
};

START_TEST(a_hang_is_reported_with_who_waits_for_whom)
{
	cleanup_place struct place place = place_open();

	record_hang(&place, hangs[_i].program);
	json_auto_t *report =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	expect_text(report, "signal", "SIGTERM");
	expect_within(report, "conclusion", "deadlock: ");
	ck_assert_uint_eq(answer_count(report, "threads"), 4);
	const json_t *left = thread_with(report, hangs[_i].left);
	const json_t *right = thread_with(report, hangs[_i].right);
	expect_number(left, "held_by", answer_number(right, "tid"));
	expect_number(right, "held_by", answer_number(left, "tid"));
	thread_with(report, hangs[_i].condition);
	expect_text(left, "frame.function", hangs[_i].function);
	ck_assert_int_eq(
	    answer_line(left, "frame"), harness_line(hangs[_i].source, hangs[_i].line));
	/* The session stands there, so every thread can be inspected. */
	expect_all(client_tool(place.client, "rr_thread_list", NULL), COUNT("threads", 4));
}
END_TEST

START_TEST(the_end_says_where_the_other_threads_still_are)
{
	cleanup_place struct place place = place_open();
	char *together;

	record_hang(&place, "deadlock");
	free(client_replay(place.client, place.trace));
	json_t *stop = client_tool(place.client, "rr_goto", "{s:s}", "moment", "end");
	together = strstr(answer_text(stop, "note"), "rr_goto ");
	ck_assert_ptr_nonnull(together);
	long long event = strtoll(together + 8, NULL, 10);
	json_decref(stop);
	char moment[24];
	snprintf(moment, sizeof(moment), "%lld", event);
	stop = client_tool(place.client, "rr_goto", "{s:s}", "moment", moment);
	ck_assert_int_eq(answer_event(stop, "moment"), event);
	ck_assert_ptr_null(answer_at(stop, "note"));
	json_decref(stop);
	expect_all(client_tool(place.client, "rr_thread_list", NULL), COUNT("threads", 4));
	/* rr does not stop at the events where the threads end. */
	snprintf(moment, sizeof(moment), "%lld", event + 1);
	stop = client_tool(place.client, "rr_goto", "{s:s}", "moment", moment);
	ck_assert_int_gt(answer_event(stop, "moment"), event + 1);
	expect_within(stop, "note", moment);
	json_decref(stop);
}
END_TEST

START_TEST(an_exit_status_is_reported_with_who_exited_and_what_was_printed)
{
	cleanup_scene struct scene scene = scene_open("copies", NULL);
	json_auto_t *report = client_tool(scene.client, "rr_crash_report", NULL);

	expect_number(report, "exit_code", 3);
	expect_within(report, "conclusion", "called by fail (tests/programs/copies.c:");
	expect_text(report, "printed_last", "cannot go on: bad id");
	expect_within(report, "hint", "rr_who_printed");
	expect_marked(report, "copies", "exit(status);");
	expect_text(first_frame(report), "function", "fail");
	ck_assert_ptr_null(answer_at(report, "threads")); /* there is one, and it is told */
}
END_TEST

/* The report of ends_itself with this argument (NULL: it is ended from outside). */
static json_t *report_end(struct place *place, const char *signal)
{
	cleanup_free char *program = harness_program("ends_itself");

	if (signal)
		client_tool_done(place->client, "rr_record", "{s:[s, s], s:s}", "command", program,
		    signal, "trace_dir", place->trace);
	else
		hang_record(place->client, place->trace, json_pack("[s]", program), 1);
	return client_tool(place->client, "rr_crash_report", "{s:s}", "trace_dir", place->trace);
}

START_TEST(a_signal_that_a_program_sent_itself_is_told_from_one_from_outside)
{
	static const struct {
		const char *number, *name, *sender, *function;
	} cases[] = {
	    {"15", "SIGTERM", "it sent itself", "end_by"},
	    {"9", "SIGKILL", "it sent itself", "end_by"},
	    {NULL, "SIG", "from outside", "main"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cleanup_place struct place place = place_open();
		json_auto_t *report = report_end(&place, cases[i].number);
		cleanup_free char *frames = answer_show(answer_at(report, "frames"));

		ck_assert_ptr_nonnull(strstr(answer_text(report, "signal"), cases[i].name));
		ck_assert_msg(strstr(answer_text(report, "conclusion"), cases[i].sender) != NULL,
		    "%s", answer_text(report, "conclusion"));
		ck_assert_msg(strstr(frames, cases[i].function) != NULL, "%s", frames);
		expect_text(report, "output", "before the end\n");
	}
}
END_TEST

#define SENT_ITSELF "that it sent itself ended it"

/* Who sent it is known though the thread that shows did not, or has gone on since. */
static const struct {
	const char *way, *number, *conclusion;
} sent[] = {
    {"kill", "15", "SIGTERM " SENT_ITSELF},
    {"kill", "9", "SIGKILL " SENT_ITSELF},
    {"group", "9", "SIGKILL " SENT_ITSELF},
    {"group", "1", "SIGHUP " SENT_ITSELF},
    {"pthread_kill", "15", "SIGTERM " SENT_ITSELF},
    {"pthread_kill", "9", "SIGKILL " SENT_ITSELF},
    {"pthread_kill", "14", "SIGALRM " SENT_ITSELF},
    {"raise", "15", "SIGTERM " SENT_ITSELF},
    {"tkill", "9", "SIGKILL " SENT_ITSELF},
    {"sigqueue", "15", "SIGTERM " SENT_ITSELF},
    {"sigqueue", "9", "SIGKILL " SENT_ITSELF},
    {"pthread_sigqueue", "9", "SIGKILL " SENT_ITSELF},
    {"pthread_sigqueue", "13", "SIGPIPE " SENT_ITSELF},
    {"pidfd", "15", "SIGTERM that it sent itself, or from outside, ended it"},
    {"pidfd", "9", "SIGKILL that it sent itself, or from outside, ended it"},
    {"child", "15", "SIGTERM from outside ended it"},
    {"child", "9", "SIGKILL from outside ended it"},
    {"child", "14", "SIGALRM of a timer, or from outside, ended it"},
    {"pipe", "0", "SIGPIPE of its own write to what nobody reads any more ended it"},
    {"limit", "0", "SIGXFSZ for its limit of file sizes ended it"},
    {"timer", "0", "SIGALRM of a timer, or from outside, ended it"},
    {"pthread_kill", "11", "no instruction caused it: the signal was sent, by the program itself"},
    {"child", "11", "no instruction caused it: the signal was sent"},
    {"child", "8", "no instruction caused it: the signal was sent"},
    {"busy", "4", "no instruction caused it: the signal was sent"},
    {"busy", "11", "no instruction caused it: the signal was sent"},
};

START_TEST(who_sent_the_signal_that_ended_a_process_is_known)
{
	cleanup_place struct place place = place_open();
	cleanup_free char *program = harness_program("sent");

	client_tool_done(place.client, "rr_record", "{s:[s, s, s], s:s}", "command", program,
	    sent[_i].way, sent[_i].number, "trace_dir", place.trace);
	json_auto_t *report =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	expect_within(report, "conclusion", sent[_i].conclusion);
}
END_TEST

/* How C++ ends a program, and what the report says about it. */
static const struct {
	const char *way, *conclusion, *line, *printed;
} ways[] = {
    {"throw", "SIGABRT in shop::order::check", "throw std::runtime_error",
	"what():  order 7 is bad"},
    {"noexcept", "SIGABRT in shop::order::check", "throw std::runtime_error",
	"what():  order 7 is bad"},
    {"terminate", "SIGABRT in std::terminate(), called by shop::order::give_up",
	"std::terminate();", "terminate called without"},
    {"exit", "called by shop::order::leave", "std::exit(4);", "order 7 cannot be served"},
};

START_TEST(the_ways_in_which_cpp_ends_a_program_lead_to_its_own_line)
{
	cleanup_place struct place place = place_open();

	json_decref(client_record(place.client, place.trace, "ends_classes", ways[_i].way));
	json_auto_t *report =
	    client_tool(place.client, "rr_crash_report", "{s:s}", "trace_dir", place.trace);
	expect_within(report, "conclusion", ways[_i].conclusion);
	expect_marked(report, "ends_classes.cc", ways[_i].line);
	expect_within(report, "output", ways[_i].printed);
}
END_TEST

START_TEST(a_program_that_ended_well_has_nothing_to_report)
{
	cleanup_scene struct scene scene = scene_open("many_watch", NULL);

	client_tool_refused(scene.client, "rr_crash_report", "not_found", NULL);
}
END_TEST

START_TEST(a_failed_assertion_is_told_from_the_line_that_asserts)
{
	cleanup_scene struct scene scene = scene_open("abort", NULL);
	json_auto_t *report = client_tool(scene.client, "rr_crash_report", NULL);

	expect_text(report, "signal", "SIGABRT");
	expect_within(report, "conclusion", "called by withdraw (tests/programs/abort.c:");
	ck_assert_int_ge(answer_number(report, "frames.0.folded"), 2);
	expect_text(first_frame(report), "function", "withdraw");
	expect_text(first_frame(report), "args", "balance=10, amount=60");
	expect_marked(report, "abort", "assert(amount <= balance);");
	/* What is asked next is meant in that frame. */
	ck_assert_int_ge(answer_number(report, "selected_frame"), 3);
	expect_value(scene.client, "amount", "60");
}
END_TEST

START_TEST(what_the_pointers_at_a_crash_point_to_is_shown)
{
	cleanup_scene struct scene scene = scene_open("list_corruption", NULL);
	json_auto_t *report = client_tool(scene.client, "rr_crash_report", NULL);

	ck_assert(has_local(first_frame(report), "session = 0x"));
	ck_assert(has_local(first_frame(report), "*session: Cannot access memory"));
}
END_TEST

static json_t *last_change(struct scene *scene, const char *expression, const char *side)
{
	return client_tool(
	    scene->client, "rr_last_change", "{s:s, s:s}", "expression", expression, "side", side);
}

START_TEST(a_write_inside_memcpy_names_the_programs_own_call)
{
	cleanup_scene struct scene scene = scene_open_at("copies", "fail");
	json_auto_t *change = last_change(&scene, "record.id", "before");
	expect_within(change, "conclusion", "called by load (tests/programs/copies.c:");
	expect_text(change, "callers.0.function", "load");
	expect_text(change, "callers.1.function", "main");
	expect_marked(change, "copies", "memcpy(to, from, length);");
	expect_text(change, "old", "1");
	expect_text(change, "new", "-7");
}
END_TEST

START_TEST(names_at_a_write_are_those_of_the_programs_own_call)
{
	cleanup_scene struct scene scene = scene_open_at("copies", "fail");
	json_auto_t *change = client_tool(scene.client, "rr_last_change", "{s:s, s:b, s:[s, s]}",
	    "expression", "record.id", "move", 1, "evaluate", "from->id", "$rip");
	expect_number(change, "selected_frame", 1);
	expect_text(answer_at(change, "evaluated"), "from->id", "-7");
	expect_value(scene.client, "from->id", "-7");
	/* Registers are those of the innermost frame. */
	client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", 0);
	expect_value(scene.client, "$rip", answer_text(answer_at(change, "evaluated"), "$rip"));
}
END_TEST

START_TEST(both_sides_of_a_write_can_be_gone_to)
{
	cleanup_scene struct scene scene = scene_open_at("copies", "fail");
	json_auto_t *before = last_change(&scene, "record.id", "before");
	json_auto_t *after = last_change(&scene, "record.id", "after");
	expect_text(before, "side", "before");
	expect_text(after, "side", "after");
	expect_value(scene.client, "record.id", "-7"); /* the session has not moved */
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", answer_text(before, "moment"));
	expect_value(scene.client, "record.id", "1");
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", answer_text(after, "moment"));
	expect_value(scene.client, "record.id", "-7");
}
END_TEST

START_TEST(a_stop_backward_at_a_watchpoint_says_that_the_write_is_still_to_come)
{
	cleanup_scene struct scene scene = scene_open_at("copies", "fail");
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s}", "expression", "record.id");
	expect_answer(client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1), "watch.side",
	    "before");
	expect_all(client_tool(scene.client, "rr_continue", NULL), ABSENT("watch.side"));
}
END_TEST

START_TEST(the_expression_is_named_in_the_frame_that_is_asked_for)
{
	cleanup_scene struct scene scene = scene_open_at("copies", "fail");
	client_tool_refused(
	    scene.client, "rr_last_change", "invalid_argument", "{s:s}", "expression", "seen->id");
	expect_answer(client_tool(scene.client, "rr_last_change", "{s:s, s:i}", "expression",
			  "seen->id", "frame", 1),
	    "callers.0.function", "load");
	/* The selection is what it was. */
	expect_answer(client_tool(scene.client, "rr_locals", NULL), "variables.0.name", "why");
	client_tool_refused(scene.client, "rr_last_change", "not_found", "{s:s, s:i}", "expression",
	    "seen->id", "frame", 99);
}
END_TEST

START_TEST(moments_at_the_same_tick_are_told_apart)
{
	cleanup_scene struct scene scene = scene_open_at("copies", "main");
	json_auto_t *first = client_tool(scene.client, "rr_when", NULL);
	json_auto_t *second = client_tool(scene.client, "rr_step", "{s:s}", "unit", "instruction");
	ck_assert_int_eq(answer_ticks(first, "moment"), answer_ticks(second, "moment"));
	ck_assert_str_ne(answer_text(first, "moment"), answer_text(second, "moment"));
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	expect_answer(
	    client_tool(scene.client, "rr_goto", "{s:s}", "moment", answer_text(second, "moment")),
	    "frame.address", answer_text(second, "frame.address"));
	json_auto_t *back =
	    client_tool(scene.client, "rr_goto", "{s:s}", "moment", answer_text(first, "moment"));
	ck_assert_str_ne(answer_text(back, "frame.address"), answer_text(second, "frame.address"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_hang_is_reported_with_who_waits_for_whom, TIMES(hangs)},
	    {the_end_says_where_the_other_threads_still_are, 1},
	    {an_exit_status_is_reported_with_who_exited_and_what_was_printed, 1},
	    {a_signal_that_a_program_sent_itself_is_told_from_one_from_outside, 1},
	    {who_sent_the_signal_that_ended_a_process_is_known, TIMES(sent)},
	    {the_ways_in_which_cpp_ends_a_program_lead_to_its_own_line, TIMES(ways)},
	    {a_program_that_ended_well_has_nothing_to_report, 1},
	    {a_failed_assertion_is_told_from_the_line_that_asserts, 1},
	    {what_the_pointers_at_a_crash_point_to_is_shown, 1},
	    {a_write_inside_memcpy_names_the_programs_own_call, 1},
	    {names_at_a_write_are_those_of_the_programs_own_call, 1},
	    {both_sides_of_a_write_can_be_gone_to, 1},
	    {a_stop_backward_at_a_watchpoint_says_that_the_write_is_still_to_come, 1},
	    {the_expression_is_named_in_the_frame_that_is_asked_for, 1},
	    {moments_at_the_same_tick_are_told_apart, 1},
	    {NULL, 0},
	};

	return scene_main_loops("reports", tests,
	    (const char *const[]){"copies", "abort", "list_corruption", "many_watch", NULL});
}
