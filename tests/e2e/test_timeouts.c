/*
 * Deadlines and cancellation: the server interrupts a command that takes too long, the answer says
 * where the program stands, and the session goes on from there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/at_work.h"
#include "tests/e2e/scene.h"

#define PROGRAM	    "many_watch"
#define COMPUTATION "computes"
#define INTERRUPT_S 10.0 /* an interrupt that is not heard takes the limit of the call */

static json_t *long_run(const char *session, int reverse)
{
	return json_pack("{s:i, s:s, s:b, s:s}", "count", 1000000, "unit", "instruction", "reverse",
	    reverse, "session", session);
}

/* The session is the one it was: not brought back, and it answers. */
static void expect_usable(struct scene *scene)
{
	client_tool_done(scene->client, "rr_backtrace", NULL);
	client_tool_done(scene->client, "rr_goto", "{s:s}", "moment", "start");
	scene_run_to(scene, "set_late");
	expect_value(scene->client, "toggled", "1");
}

/* The ways to give the same limit; the test's number chooses one. */
static const struct {
	const char *flag, *variable;
} forward_limits[] = {
    {"--timeout-forward=1", "UNUSED=1"},
    {"--timeout-eval=30", "RR_MCP_TIMEOUT_FORWARD=1"},
};

START_TEST(a_forward_run_over_its_limit_is_interrupted_and_the_session_goes_on)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM,
	    &(struct client_options){.args = (const char *const[]){forward_limits[_i].flag, NULL},
		.env = (const char *const[]){forward_limits[_i].variable, NULL}});
	long long id = client_tool_send(scene.client, "rr_step", long_run(scene.session, 0));
	expect_all(client_tool_failure(scene.client, id, "timeout", 60), TRUE("session_alive"),
	    IS("session", scene.session), PRESENT("hint"));
	expect_alive(scene.client, scene.session);
}
END_TEST

START_TEST(a_reverse_run_over_its_limit_ends_and_the_session_goes_on)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM,
	    &(struct client_options){.args = (const char *const[]){"--timeout-reverse=1", NULL}});
	client_tool_done(
	    scene.client, "rr_step", "{s:i, s:s}", "count", 500, "unit", "instruction");
	long long id = client_tool_send(scene.client, "rr_step", long_run(scene.session, 1));
	json_decref(client_tool_failure(scene.client, id, "timeout", 60));
	client_tool_done(scene.client, "rr_backtrace", NULL);
}
END_TEST

START_TEST(a_cancelled_request_is_never_answered_and_the_session_lives)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	long long id =
	    client_tool_send_progress(scene.client, "rr_step", long_run(scene.session, 0), "token");
	at_work_await(client_pid(scene.client), AT_WORK_STEPPED_MS);
	client_cancel(scene.client, id);
	expect_usable(&scene);
	ck_assert_ptr_null(client_wait(scene.client, id, 1));
}
END_TEST

START_TEST(rr_interrupt_stops_a_run_from_a_second_call)
{
	cleanup_scene struct scene scene = scene_open(PROGRAM, NULL);
	long long id = client_tool_send(scene.client, "rr_step", long_run(scene.session, 0));
	at_work_await(client_pid(scene.client), AT_WORK_STEPPED_MS);
	json_t *asked =
	    client_tool(scene.client, "rr_interrupt", "{s:s}", "session", scene.session);
	/* It does not say that the command stopped: that is not known yet. */
	ck_assert_ptr_nonnull(
	    strstr(answer_text(asked, "conclusion"), "rr_step was asked to stop"));
	ck_assert_ptr_null(answer_at(asked, "interrupted"));
	json_decref(asked);
	expect_all(client_tool_result(scene.client, id, 60), IS("reason", "interrupted"),
	    PRESENT("frame.at"));
	asked = client_tool(scene.client, "rr_interrupt", "{s:s}", "session", scene.session);
	ck_assert_ptr_nonnull(strstr(answer_text(asked, "conclusion"), "no command is running"));
	json_decref(asked);
	expect_usable(&scene);
}
END_TEST

START_TEST(rr_interrupt_stops_a_program_in_the_middle_of_a_computation)
{
	cleanup_scene struct scene scene = scene_open_at(COMPUTATION, "compute");
	long long id = client_tool_send(scene.client, "rr_continue", NULL);
	at_work_await(client_pid(scene.client), AT_WORK_RUN_MS);
	client_tool_done(scene.client, "rr_interrupt", "{s:s}", "session", scene.session);
	expect_all(client_tool_result(scene.client, id, 60), IS("reason", "interrupted"),
	    IS("frame.function", "compute"), FALSE("restored"));
	expect_alive(scene.client, scene.session);
}
END_TEST

/* rr takes the thread of the stop before for its own until it is told of another one. */
START_TEST(a_checkpoint_after_an_interrupt_is_not_of_a_thread_that_has_ended)
{
	cleanup_scene struct scene scene = scene_open_at("after_thread", "work");
	long long id = client_tool_send(scene.client, "rr_continue", NULL);
	at_work_await(client_pid(scene.client), AT_WORK_RUN_MS);
	client_tool_done(scene.client, "rr_interrupt", NULL);
	expect_all(client_tool_result(scene.client, id, 60), IS("reason", "interrupted"),
	    IS("frame.function", "compute"));
	client_tool_done(scene.client, "rr_checkpoint_save", NULL);
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "start");
	expect_all(client_tool(scene.client, "rr_checkpoint_restore", "{s:i}", "checkpoint_id", 1),
	    IS("frame.function", "compute"), FALSE("restored"));
}
END_TEST

/* Interrupts a call that has run for a while, and expects its answer soon and the session alive. */
static void interrupt_soon(struct scene *scene, const char *tool, json_t *args)
{
	long long id = client_tool_send(scene->client, tool, args);
	at_work_await(client_pid(scene->client), AT_WORK_STEPPED_MS);
	double asked = harness_now();
	client_tool_done(scene->client, "rr_interrupt", "{s:s}", "session", scene->session);
	json_auto_t *stop = client_tool_result(scene->client, id, 60);
	double took = harness_now() - asked;
	expect_text(stop, "reason", "interrupted");
	ck_assert(!answer_true(stop, "restored"));
	ck_assert_msg(took < INTERRUPT_S, "%s was interrupted after %.1f s", tool, took);
	expect_all(client_tool(scene->client, "rr_when", "{s:s}", "session", scene->session),
	    FALSE("restored"));
}

START_TEST(an_interrupt_works_at_once_wherever_the_program_is)
{
	cleanup_scene struct scene scene = scene_open_at("endless", "turn");
	interrupt_soon(&scene, "rr_next", NULL);
	interrupt_soon(&scene, "rr_step", json_pack("{s:i}", "count", 1000000));
	client_tool_done(scene.client, "rr_breakpoint_set", "{s:s, s:s}", "location", "add",
	    "condition", "number == 0.5"); /* a fraction is gdb's to judge, at each call */
	interrupt_soon(&scene, "rr_continue", NULL);
	interrupt_soon(&scene, "rr_continue", json_pack("{s:b}", "reverse", 1));
}
END_TEST

/* rr itself would search for a later event for ever. */
START_TEST(the_end_is_still_the_end_after_an_interrupted_way_back)
{
	cleanup_scene struct scene scene = scene_open(COMPUTATION, NULL);
	client_tool_done(scene.client, "rr_goto", "{s:s}", "moment", "end");
	for (unsigned ran_ms = 200; ran_ms <= 1000; ran_ms += 400) {
		long long id =
		    client_tool_send(scene.client, "rr_continue", json_pack("{s:b}", "reverse", 1));
		at_work_await(client_pid(scene.client), ran_ms);
		client_tool_done(scene.client, "rr_interrupt", "{s:s}", "session", scene.session);
		json_auto_t *stop = client_wait(scene.client, id, HARNESS_TIMEOUT_S);
		ck_assert_ptr_nonnull(stop);
		json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");
		expect_text(end, "reason", "end");
	}
}
END_TEST

/* Nothing writes there, so it searches all the way back. */
START_TEST(a_search_that_is_cancelled_leaves_the_session_at_the_end)
{
	cleanup_scene struct scene scene = scene_open(COMPUTATION, NULL);

	json_auto_t *end = client_tool(scene.client, "rr_goto", "{s:s}", "moment", "end");
	long long id = client_tool_send(
	    scene.client, "rr_last_change", json_pack("{s:s}", "expression", "*(int *)compute"));
	at_work_await(client_pid(scene.client), AT_WORK_RUN_MS);
	client_cancel(scene.client, id);
	expect_answer(
	    client_tool(scene.client, "rr_when", NULL), "moment", answer_text(end, "moment"));
	expect_answer(client_tool(scene.client, "rr_continue", "{s:b, s:s}", "reverse", 1, "until",
			  "compute"),
	    "frame.function", "compute");
}
END_TEST

/* The search goes back to where it began, and to the thread that was selected there. The run after
 * it begins with the thread that stands on the breakpoint. */
START_TEST(a_breakpoint_is_left_after_a_search_that_another_threads_selection_began)
{
	cleanup_scene struct scene scene = scene_open("late_thread", NULL);
	client_tool_done(
	    scene.client, "rr_breakpoint_set", "{s:s}", "location", "late_thread.c:20");
	json_auto_t *stop = client_tool(scene.client, "rr_continue", NULL);
	expect_text(stop, "reason", "breakpoint");
	json_auto_t *threads = client_tool(scene.client, "rr_thread_list", NULL);
	client_tool_done(scene.client, "rr_thread_select", "{s:O}", "thread_id",
	    answer_at(threads, "threads.0.tid"));
	client_tool_done(scene.client, "rr_watchpoint_set", "{s:s, s:s}", "expression", "sum",
	    "condition", "sum == 4000000000u");
	long long id =
	    client_tool_send(scene.client, "rr_continue", json_pack("{s:b}", "reverse", 1));
	at_work_await(client_pid(scene.client), AT_WORK_RUN_MS);
	client_tool_done(scene.client, "rr_interrupt", NULL);
	json_auto_t *interrupted = client_wait(scene.client, id, HARNESS_TIMEOUT_S);
	ck_assert_ptr_nonnull(interrupted);
	expect_answer(
	    client_tool(scene.client, "rr_when", NULL), "moment", answer_text(stop, "moment"));
	expect_answer(client_tool(scene.client, "rr_continue", NULL), "reason", "end");
}
END_TEST

START_TEST(calls_to_a_running_session_wait_their_turn_or_are_told_so)
{
	cleanup_scene struct scene scene = scene_open_at(PROGRAM, "main");
	long long first = client_tool_send(
	    scene.client, "rr_step", json_pack("{s:i, s:s}", "count", 2000, "unit", "instruction"));
	long long second =
	    client_tool_send(scene.client, "rr_evaluate", json_pack("{s:s}", "expression", "1+1"));
	json_auto_t *one = client_wait(scene.client, first, HARNESS_TIMEOUT_S);
	json_auto_t *two = client_wait(scene.client, second, HARNESS_TIMEOUT_S);
	ck_assert_ptr_nonnull(one);
	ck_assert_ptr_nonnull(two);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_forward_run_over_its_limit_is_interrupted_and_the_session_goes_on, 2},
	    {a_reverse_run_over_its_limit_ends_and_the_session_goes_on, 1},
	    {a_cancelled_request_is_never_answered_and_the_session_lives, 1},
	    {rr_interrupt_stops_a_run_from_a_second_call, 1},
	    {rr_interrupt_stops_a_program_in_the_middle_of_a_computation, 1},
	    {a_checkpoint_after_an_interrupt_is_not_of_a_thread_that_has_ended, 1},
	    {an_interrupt_works_at_once_wherever_the_program_is, 1},
	    {the_end_is_still_the_end_after_an_interrupted_way_back, 1},
	    {a_search_that_is_cancelled_leaves_the_session_at_the_end, 1},
	    {a_breakpoint_is_left_after_a_search_that_another_threads_selection_began, 1},
	    {calls_to_a_running_session_wait_their_turn_or_are_told_so, 1},
	    {NULL, 0},
	};

	return scene_main_loops("timeouts", tests,
	    (const char *const[]){
		PROGRAM, COMPUTATION, "endless", "after_thread", "late_thread", NULL});
}
