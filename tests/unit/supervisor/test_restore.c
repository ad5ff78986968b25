/*
 * How a session comes back: after its worker died or was killed, or rested.
 */
#include "tests/unit/supervisor/world.h"

static void lose_idle(struct session *session)
{
	session_deliver(world.table, session, EVENT_LOST,
	    &(struct event_data){.code = "worker_died", .why = "gone", .not_taken = true});
}

START_TEST(one_that_ignores_the_interrupt_is_killed_and_comes_back)
{
	struct session *session = ready_session();

	call(session, "a");
	expire(session);
	expire(session);
	ck_assert_str_eq(world.notes, "interrupt:timeout error:a,timeout,alive");
	ck_assert_int_eq(session->state, SESSION_DEAD);
	ck_assert_int_eq(world.drops, 1);
	call(session, "b");
	bring_back(session);
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "interrupt:timeout error:a,timeout,alive restored:b");
}
END_TEST

START_TEST(a_dead_worker_fails_the_call_in_flight_and_the_next_restores)
{
	struct session *session = ready_session();

	packet(session, 0, 0, "{}"); /* nobody asked: dies of it */
	ck_assert_int_eq(session->state, SESSION_DEAD);
	call(session, "a");
	bring_back(session);
	packet(session, WIRE_STATE, 0, "{\"moment\":{\"event\":7}}");
	packet(session, WIRE_OP_CONTINUE + 1, 0, "{}");
	call(session, "b");
	deliver(session, EVENT_LOST);
	call(session, "c");
	deliver(session, EVENT_LAUNCHED);
	packet(session, 0, 0, "{}");
	ck_assert_int_eq(
	    json_integer_value(json_object_get(
		json_object_get(json_object_get(world.last_json, "restore"), "moment"), "event")),
	    7);
	packet(session, 0, 0, "{}");
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "restored:a error:b,worker_died,alive restored:c");
}
END_TEST

START_TEST(a_call_that_meets_a_worker_that_died_idle_runs_restored_but_only_once)
{
	struct session *session = ready_session();

	call(session, "a");
	lose_idle(session);
	ck_assert_str_eq(world.notes, "");
	bring_back(session);
	packet(session, 0, 0, "{}");
	call(session, "b");
	lose_idle(session);
	bring_back(session);
	lose_idle(session);
	ck_assert_str_eq(world.notes, "restored:a error:b,worker_died,alive");
}
END_TEST

START_TEST(a_call_that_finds_the_channel_closed_runs_restored)
{
	struct session *session = ready_session();

	world.sending = CHANNEL_CLOSED;
	call(session, "a");
	world.sending = CHANNEL_OK;
	deliver(session, EVENT_LOST);
	bring_back(session);
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "restored:a");
}
END_TEST

START_TEST(two_failed_restores_give_the_session_up)
{
	struct session *session = ready_session();

	deliver(session, EVENT_LOST);
	call(session, "a");
	deliver(session, EVENT_LOST);
	call(session, "b");
	deliver(session, EVENT_LOST);
	ck_assert_str_eq(world.notes, "error:a,worker_died,alive error:b,worker_died,over");
	ck_assert_uint_eq(session_count(world.table, WORKER_REPLAY), 0);
}
END_TEST

START_TEST(the_call_after_a_cancelled_one_that_had_to_be_killed_runs_restored)
{
	struct session *session = ready_session();

	call(session, "a");
	session_deliver(
	    world.table, session, EVENT_CANCEL, &(struct event_data){.call = session->calls});
	call(session, "b");
	expire(session);
	bring_back(session);
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "interrupt:cancelled dropped restored:b");
}
END_TEST

START_TEST(an_idle_session_rests_and_comes_back)
{
	struct session *session = ready_session();

	expire(session);
	ck_assert_int_eq(session->state, SESSION_STOPPING);
	call(session, "a");
	deliver(session, EVENT_LOST);
	ck_assert_int_eq(session->state, SESSION_LAUNCHING);
	bring_back(session);
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "stop restored:a");
}
END_TEST

START_TEST(rr_interrupt_ends_the_call_that_waits_for_a_restore)
{
	struct session *session = ready_session();

	deliver(session, EVENT_LOST);
	call(session, "a");
	deliver(session, EVENT_LAUNCHED);
	ck_assert(session_is_running(session));
	deliver(session, EVENT_INTERRUPT);
	ck_assert_str_eq(world.notes, "error:a,cancelled,alive");
	packet(session, 0, 0, "{}");
	packet(session, 0, 0, "{}");
	ck_assert_int_eq(session->state, SESSION_READY);
	call(session, "b");
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "error:a,cancelled,alive restored:b");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session comes back");
	TCase *tests = tcase_create("session comes back");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, one_that_ignores_the_interrupt_is_killed_and_comes_back);
	tcase_add_test(tests, a_dead_worker_fails_the_call_in_flight_and_the_next_restores);
	tcase_add_test(
	    tests, a_call_that_meets_a_worker_that_died_idle_runs_restored_but_only_once);
	tcase_add_test(tests, a_call_that_finds_the_channel_closed_runs_restored);
	tcase_add_test(tests, two_failed_restores_give_the_session_up);
	tcase_add_test(tests, the_call_after_a_cancelled_one_that_had_to_be_killed_runs_restored);
	tcase_add_test(tests, an_idle_session_rests_and_comes_back);
	tcase_add_test(tests, rr_interrupt_ends_the_call_that_waits_for_a_restore);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? 0 : 1;
}
