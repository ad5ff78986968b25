/*
 * How a session comes back after its worker died, was killed, or died while idle.
 */
#include "tests/unit/supervisor/world.h"

static void lose_idle(struct session *session)
{
	session_lost(session, &gone, true);
}

START_TEST(one_that_ignores_the_interrupt_is_killed_and_comes_back)
{
	struct session *session = ready_session();

	call(session, "a");
	expire();
	expire();
	expect_notes("interrupt:timeout error:a,timeout,alive");
	expect_state(session, "resting");
	ck_assert_int_eq(workers.drops, 1);
	call(session, "b");
	expect_restored(session, "interrupt:timeout error:a,timeout,alive restored:b");
}
END_TEST

START_TEST(a_dead_worker_fails_the_call_in_flight_and_the_next_restores)
{
	struct session *session = ready_session();

	packet(session, 0, 0, "{}"); /* nobody asked: dies of it */
	expect_state(session, "resting");
	call(session, "a");
	bring_back(session);
	packet(session, WIRE_STATE, 0, "{\"moment\":{\"event\":7}}");
	packet(session, WIRE_OP_CONTINUE + 1, 0, "{}");
	call(session, "b");
	lose(session);
	call(session, "c");
	session_launched(session, "");
	answered(session);
	ck_assert_int_eq(
	    json_integer_value(json_object_get(
		json_object_get(json_object_get(workers.last_json, "restore"), "moment"), "event")),
	    7);
	answered(session);
	answered(session);
	expect_notes("restored:a error:b,worker_died,alive restored:c");
}
END_TEST

/* With /traces/a as the newest trace, which is not named. */
static struct session *session_of_newest(void)
{
	struct session *session = open_session("start");

	ck_assert_str_eq(workers.last_trace, "");
	session_launched(session, "/traces/a");
	answered(session);
	packet(session, WIRE_STATE, 0, "{\"trace_dir\":\"/traces/a\",\"moment\":{}}");
	answered(session);
	expect_state(session, "ready");
	call(session, "a");
	return session;
}

START_TEST(the_next_worker_gets_the_trace_that_was_the_newest_for_the_first)
{
	struct session *session = session_of_newest();

	for (int i = 0; i < 2; i++) {
		lose(session);
		call(session, "b");
		ck_assert_str_eq(workers.last_trace, "/traces/a");
		session_launched(session, "/traces/b");
	}
	answered(session);
	packet(session, WIRE_STATE, 0, "{\"trace_dir\":\"/traces/a\",\"moment\":{}}");
	expect_state(session, "starting");
	ck_assert_str_eq(session_trace(session), "/traces/a");
}
END_TEST

static const char *const other_traces[] = {"\"/traces/b\"", "\"/traces/a/\"", "\"\"", "7", "null"};

START_TEST(a_worker_cannot_choose_the_trace_of_the_next_one)
{
	struct session *session = session_of_newest();
	char state[80];

	snprintf(state, sizeof(state), "{\"trace_dir\":%s,\"moment\":{}}", other_traces[_i]);
	packet(session, WIRE_STATE, 0, state);
	expect_notes("answer:start error:a,worker_died,alive");
	ck_assert_str_eq(session_trace(session), "/traces/a");
	call(session, "b");
	ck_assert_str_eq(workers.last_trace, "/traces/a");
}
END_TEST

START_TEST(a_worker_for_which_the_monitor_found_no_trace_names_none)
{
	struct session *session = open_session("start");

	session_launched(session, "");
	answered(session);
	packet(session, WIRE_STATE, 0, "{\"trace_dir\":\"/traces/b\",\"moment\":{}}");
	expect_gone("error:start,worker_died,over");
}
END_TEST

START_TEST(a_call_that_meets_a_worker_that_died_idle_runs_restored_but_only_once)
{
	struct session *session = ready_session();

	call(session, "a");
	lose_idle(session);
	expect_notes("");
	bring_back(session);
	answered(session);
	call(session, "b");
	lose_idle(session);
	bring_back(session);
	lose_idle(session);
	expect_notes("restored:a error:b,worker_died,alive");
}
END_TEST

START_TEST(a_call_that_finds_the_channel_closed_runs_restored)
{
	struct session *session = ready_session();

	workers.sending = CHANNEL_CLOSED;
	call(session, "a");
	workers.sending = CHANNEL_OK;
	lose(session);
	expect_restored(session, "restored:a");
}
END_TEST

START_TEST(a_launch_that_died_with_its_launcher_is_asked_for_again)
{
	struct session *session = ready_session();

	lose(session);
	call(session, "a");
	ck_assert_int_eq(workers.launches, 2);
	session_lost(session, &gone, true);
	session_lost(session, &gone, true);
	ck_assert_int_eq(workers.launches, 4);
	expect_restored(session, "restored:a");
}
END_TEST

START_TEST(two_failed_restores_give_the_session_up)
{
	struct session *session = ready_session();

	lose(session);
	call(session, "a");
	lose(session);
	call(session, "b");
	lose(session);
	expect_gone("error:a,worker_died,alive error:b,worker_died,over");
}
END_TEST

START_TEST(the_call_after_a_cancelled_one_that_had_to_be_killed_runs_restored)
{
	struct session *session = ready_session();

	session_cancel(call(session, "a"));
	call(session, "b");
	expire();
	expect_restored(session, "interrupt:cancelled dropped restored:b");
}
END_TEST

START_TEST(an_idle_session_rests_and_comes_back)
{
	struct session *session = ready_session();

	expire();
	expect_state(session, "ending");
	call(session, "a");
	lose(session);
	expect_state(session, "starting");
	expect_restored(session, "stop restored:a");
}
END_TEST

START_TEST(rr_interrupt_ends_the_call_that_waits_for_a_restore)
{
	struct session *session = ready_session();

	lose(session);
	call(session, "a");
	session_launched(session, "");
	ck_assert_ptr_nonnull(session_running(session));
	session_interrupt(session);
	expect_notes("error:a,cancelled,alive");
	answered(session);
	answered(session);
	expect_state(session, "ready");
	call(session, "b");
	answered(session);
	expect_notes("error:a,cancelled,alive restored:b");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{one_that_ignores_the_interrupt_is_killed_and_comes_back, 1},
	    {a_dead_worker_fails_the_call_in_flight_and_the_next_restores, 1},
	    {the_next_worker_gets_the_trace_that_was_the_newest_for_the_first, 1},
	    {a_worker_cannot_choose_the_trace_of_the_next_one, TIMES(other_traces)},
	    {a_worker_for_which_the_monitor_found_no_trace_names_none, 1},
	    {a_call_that_meets_a_worker_that_died_idle_runs_restored_but_only_once, 1},
	    {a_call_that_finds_the_channel_closed_runs_restored, 1},
	    {a_launch_that_died_with_its_launcher_is_asked_for_again, 1},
	    {two_failed_restores_give_the_session_up, 1},
	    {the_call_after_a_cancelled_one_that_had_to_be_killed_runs_restored, 1},
	    {an_idle_session_rests_and_comes_back, 1},
	    {rr_interrupt_ends_the_call_that_waits_for_a_restore, 1}, {NULL, 0}};

	return run_loops("session comes back", tests, set_up, tear_down);
}
