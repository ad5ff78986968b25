/*
 * Which signals stop the program: faults do; signals that the program handles itself and timers do
 * not, unless the client asks for it.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

static json_t *go_on(struct scene *scene)
{
	return client_tool(scene->client, "rr_continue", NULL);
}

static void go_to_start(struct scene *scene)
{
	client_tool_done(scene->client, "rr_goto", "{s:s}", "moment", "start");
}

static bool is_passed_over(const json_t *answer, const char *name)
{
	for (size_t i = 0; i < answer_count(answer, "passed_over"); i++)
		if (strcmp(json_string_value(json_array_get(answer_at(answer, "passed_over"), i)),
			name) == 0)
			return true;
	return false;
}

START_TEST(what_the_program_handles_is_passed_over_and_faults_are_not)
{
	cleanup_scene struct scene scene = scene_open("signals_sync", NULL);
	json_auto_t *table = client_tool(scene.client, "rr_signals", NULL);

	ck_assert(is_passed_over(table, "SIGUSR1"));
	ck_assert(is_passed_over(table, "SIGCHLD"));
	ck_assert(!is_passed_over(table, "SIGSEGV"));
	static const char *const expected[] = {"SIGFPE", "SIGSEGV", "SIGFPE"};
	for (int i = 0; i < 3; i++) {
		expect_answer(go_on(&scene), "signal", expected[i]);
	}
}
END_TEST

START_TEST(any_signal_can_be_stopped_at_or_passed_over_both_ways)
{
	cleanup_scene struct scene scene = scene_open("signals_sync", NULL);
	json_auto_t *table = client_tool(scene.client, "rr_signals", "{s:[s,s], s:[s]}", "pass",
	    "SIGFPE", "segv", "stop", "SIGUSR2");

	ck_assert(is_passed_over(table, "SIGSEGV"));
	ck_assert(!is_passed_over(table, "SIGUSR2"));
	for (int i = 0; i < 3; i++) {
		expect_answer(go_on(&scene), "signal", "SIGUSR2");
	}
	expect_answer(go_on(&scene), "reason", "end");
	expect_answer(
	    client_tool(scene.client, "rr_continue", "{s:b}", "reverse", 1), "signal", "SIGUSR2");
}
END_TEST

START_TEST(a_session_that_is_brought_back_keeps_it)
{
	cleanup_scene struct scene scene = scene_open("signals_sync", NULL);

	client_tool_done(scene.client, "rr_signals", "{s:[s,s]}", "pass", "SIGFPE", "SIGSEGV");
	census_end_session(client_pid(scene.client));
	expect_answer(go_on(&scene), "reason", "end");
}
END_TEST

START_TEST(timers_do_not_stop_and_can)
{
	cleanup_scene struct scene scene = scene_open("signals_timer", NULL);
	json_auto_t *stop = go_on(&scene);

	expect_text(stop, "reason", "end");
	go_to_start(&scene);
	client_tool_done(scene.client, "rr_signals", "{s:[s]}", "stop", "SIGALRM");
	expect_answer(go_on(&scene), "signal", "SIGALRM");
}
END_TEST

START_TEST(what_is_no_signal_or_the_debuggers_own_is_refused)
{
	cleanup_scene struct scene scene = scene_open("signals_sync", NULL);
	static const char *const wrong[] = {"SIGFROB", "", "SIGTRAP", "SIGINT", "all; shell id"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		client_tool_refused(
		    scene.client, "rr_signals", "invalid_argument", "{s:[s]}", "pass", wrong[i]);
}
END_TEST

START_TEST(a_crash_is_reported_though_its_signal_is_passed_over)
{
	cleanup_scene struct scene scene = scene_open("list_corruption", NULL);

	client_tool_done(scene.client, "rr_signals", "{s:[s]}", "pass", "SIGSEGV");
	expect_answer(client_tool(scene.client, "rr_crash_report", NULL), "frames.0.function",
	    "report_total");
	json_auto_t *table = client_tool(scene.client, "rr_signals", NULL);
	ck_assert(is_passed_over(table, "SIGSEGV"));
	go_to_start(&scene);
	expect_answer(go_on(&scene), "reason", "end");
}
END_TEST

/* Signals that end the program from outside of its code: as many as end it in different ways. */
static const char *const endings[] = {
    "ends_by 6", "ends_by 15", "ends_by 11", "ends_by 2", "ends_by 5"};

/* What a search answers at the signal is what it answers at the end, which is the next moment. */
static json_t *ask(struct scene *scene, const char *tool, const char *name, const char *text)
{
	json_t *answer = client_tool(scene->client, tool, "{s:s}", name, text);

	client_tool_done(scene->client, "rr_select_frame", "{s:i}", "frame_level", 1);
	return answer;
}

START_TEST(searches_from_a_signal_that_ends_the_program_come_back)
{
	static const struct {
		const char *tool, *name, *text;
	} asked[] = {{"rr_last_time", "location", "pass"}, {"rr_origin_of", "expression", "kept"},
	    {"rr_value_history", "expression", "kept"}, {"rr_last_change", "expression", "kept"},
	    {"rr_frame_story", "location", "pass"}, {"rr_when_became", "predicate", "kept == 14"},
	    {"rr_trace_calls", "location", "pass"}};
	cleanup_scene struct scene scene = scene_open(endings[_i], NULL);
	json_t *answers[2][TIMES(asked)];

	for (int at_end = 0; at_end < 2; at_end++) {
		if (at_end)
			client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
		else
			expect_answer(go_on(&scene), "reason", "signal");
		client_tool_done(scene.client, "rr_select_frame", "{s:i}", "frame_level", 1);
		for (int i = 0; i < TIMES(asked); i++)
			answers[at_end][i] =
			    ask(&scene, asked[i].tool, asked[i].name, asked[i].text);
	}
	for (int i = 0; i < TIMES(asked); i++)
		expect_same(answers[0][i], answers[1][i]);
}
END_TEST

/* rr clears that address, where the processor keeps it for failures alone: AMD's. */
START_TEST(a_frame_tells_where_the_last_x87_instruction_was_or_nothing)
{
	char *folder = harness_scratch(0);
	cleanup_free char *program = harness_program("x87_frame");

	harness_shell("cd '%3$s' || exit 1\n"
		      "'%2$s' >native\n"
		      "'%1$s' --pmu=software rr record -o trace '%2$s' >printed || exit 1\n"
		      "cat native printed >&2\n"
		      "cmp native printed >&2 || [ \"$(cat printed)\" = 'signal 10, none' ]"
		      "	|| exit 1\n"
		      "'%1$s' --pmu=software rr replay -a trace 2>/dev/null | cmp printed >&2",
	    harness_server(), program, folder);
	harness_scratch_free(folder);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {what_the_program_handles_is_passed_over_and_faults_are_not, 1},
	    {any_signal_can_be_stopped_at_or_passed_over_both_ways, 1},
	    {a_session_that_is_brought_back_keeps_it, 1}, {timers_do_not_stop_and_can, 1},
	    {what_is_no_signal_or_the_debuggers_own_is_refused, 1},
	    {a_crash_is_reported_though_its_signal_is_passed_over, 1},
	    {a_frame_tells_where_the_last_x87_instruction_was_or_nothing, 1},
	    {searches_from_a_signal_that_ends_the_program_come_back, TIMES(endings)}, {NULL, 0}};
	return scene_main_loops("signals", tests,
	    (const char *const[]){"signals_sync", "signals_timer", "list_corruption", endings[0],
		endings[1], endings[2], endings[3], endings[4], NULL});
}
