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

int main(void)
{
	const TTest *const tests[] = {what_the_program_handles_is_passed_over_and_faults_are_not,
	    any_signal_can_be_stopped_at_or_passed_over_both_ways,
	    a_session_that_is_brought_back_keeps_it, timers_do_not_stop_and_can,
	    what_is_no_signal_or_the_debuggers_own_is_refused,
	    a_crash_is_reported_though_its_signal_is_passed_over, NULL};
	return scene_main("signals", tests,
	    (const char *const[]){"signals_sync", "signals_timer", "list_corruption", NULL});
}
