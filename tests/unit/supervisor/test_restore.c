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
	session_launched(session);
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
	session_launched(session);
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
	const TTest *const tests[] = {one_that_ignores_the_interrupt_is_killed_and_comes_back,
	    a_dead_worker_fails_the_call_in_flight_and_the_next_restores,
	    a_call_that_meets_a_worker_that_died_idle_runs_restored_but_only_once,
	    a_call_that_finds_the_channel_closed_runs_restored,
	    a_launch_that_died_with_its_launcher_is_asked_for_again,
	    two_failed_restores_give_the_session_up,
	    the_call_after_a_cancelled_one_that_had_to_be_killed_runs_restored,
	    an_idle_session_rests_and_comes_back,
	    rr_interrupt_ends_the_call_that_waits_for_a_restore, NULL};

	return run_tests("session comes back", tests, set_up, tear_down);
}
