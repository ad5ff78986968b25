/*
 * Sessions: state by event, with a world that only takes notes.
 */
#include "tests/unit/supervisor/world.h"

START_TEST(every_cell_of_the_matrix_is_filled)
{
	for (int state = 0; state < SESSION_STATE_COUNT; state++)
		for (int event = 0; event < SESSION_EVENT_COUNT; event++)
			ck_assert(session_has_action(
			    (enum session_state)state, (enum session_event)event));
}
END_TEST

START_TEST(starting_goes_by_launch_greeting_and_opening)
{
	struct session *session = open_session("start");

	ck_assert_int_eq(session->state, SESSION_LAUNCHING);
	deliver(session, EVENT_LAUNCHED);
	ck_assert_int_eq(session->state, SESSION_GREETING);
	ck_assert_int_eq(world.last_type, WIRE_OP_START);
	packet(session, 0, 0, "{}");
	ck_assert_int_eq(session->state, SESSION_OPENING);
	ck_assert_int_eq(world.last_type, WIRE_OP_REPLAY_START);
	packet(session, 0, 0, "{}");
	ck_assert_int_eq(session->state, SESSION_READY);
	ck_assert_str_eq(session->id, "s1");
}
END_TEST

START_TEST(a_trace_that_does_not_open_leaves_no_session)
{
	struct session *session = open_session("start");

	deliver(session, EVENT_LAUNCHED);
	packet(session, 0, 0, "{}");
	packet(session, 0, WIRE_FLAG_ERROR, "{\"code\":\"not_found\",\"message\":\"no\"}");
	ck_assert_str_eq(world.notes, "error:start,not_found,over");
	ck_assert_uint_eq(session_count(world.table, WORKER_REPLAY), 0);
	ck_assert_str_eq(open_session("again")->id, "s1");
}
END_TEST

START_TEST(calls_wait_for_the_one_that_runs)
{
	struct session *session = ready_session();

	call(session, "a");
	call(session, "b");
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "answer:a");
	ck_assert_int_eq(session->state, SESSION_RUNNING);
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "answer:a answer:b");
	ck_assert_int_eq(session->state, SESSION_READY);
}
END_TEST

START_TEST(the_queue_is_bounded)
{
	struct session *session = ready_session();
	struct call *extra = make_call("extra", WIRE_OP_STEP, 1);

	for (int i = 0; i < SESSION_CALLS_MAX; i++)
		call(session, "a");
	ck_assert(!session_call(world.table, session, extra));
	json_decref(extra->args);
	free(extra);
}
END_TEST

START_TEST(a_late_command_is_interrupted_and_the_session_goes_on)
{
	struct session *session = ready_session();

	call(session, "a");
	expire(session);
	ck_assert_int_eq(session->state, SESSION_INTERRUPTING);
	packet(session, WIRE_OP_CONTINUE + 1, WIRE_FLAG_ERROR,
	    "{\"code\":\"timeout\",\"message\":\"late\"}");
	ck_assert_str_eq(world.notes, "interrupt:timeout error:a,timeout,alive");
	ck_assert_int_eq(session->state, SESSION_READY);
	ck_assert_int_eq(world.drops, 0);
}
END_TEST

START_TEST(a_cancelled_command_is_interrupted_and_not_answered)
{
	struct session *session = ready_session();

	call(session, "a");
	call(session, "b");
	session_deliver(
	    world.table, session, EVENT_CANCEL, &(struct event_data){.call = session->calls});
	ck_assert_str_eq(world.notes, "interrupt:cancelled");
	packet(session, WIRE_OP_CONTINUE + 1, 0, "{}");
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "interrupt:cancelled dropped answer:b");
}
END_TEST

START_TEST(a_waiting_call_that_is_cancelled_never_runs)
{
	struct session *session = ready_session();

	call(session, "a");
	call(session, "b");
	session_deliver(
	    world.table, session, EVENT_CANCEL, &(struct event_data){.call = session->calls->next});
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "dropped answer:a");
	ck_assert_int_eq(session->state, SESSION_READY);
}
END_TEST

START_TEST(cancelling_the_start_leaves_no_session)
{
	struct session *session = open_session("start");

	session_deliver(
	    world.table, session, EVENT_CANCEL, &(struct event_data){.call = session->calls});
	ck_assert_str_eq(world.notes, "dropped");
	ck_assert_uint_eq(session_count(world.table, WORKER_REPLAY), 0);
	ck_assert_int_eq(world.drops, 1);
}
END_TEST

START_TEST(stopping_waits_for_the_end_of_the_worker)
{
	struct session *session = ready_session();

	session_deliver(world.table, session, EVENT_STOP,
	    &(struct event_data){.call = make_call("stop", 0, 0)});
	ck_assert_int_eq(session->state, SESSION_STOPPING);
	ck_assert_str_eq(world.notes, "stop");
	deliver(session, EVENT_LOST);
	ck_assert_str_eq(world.notes, "stop answer:stop");
	ck_assert_uint_eq(session_count(world.table, WORKER_REPLAY), 0);
}
END_TEST

START_TEST(stopping_a_busy_session_fails_what_runs)
{
	struct session *session = ready_session();

	call(session, "a");
	call(session, "b");
	session_deliver(world.table, session, EVENT_STOP,
	    &(struct event_data){.call = make_call("stop", 0, 0)});
	ck_assert_str_eq(world.notes, "error:a,cancelled,over error:b,no_session,over answer:stop");
}
END_TEST

START_TEST(an_answer_of_the_wrong_type_is_the_workers_end)
{
	struct session *session = ready_session();

	call(session, "a");
	packet(session, WIRE_OP_STEP + 1, 0, "{}");
	ck_assert_str_eq(world.notes, "error:a,worker_died,alive");
}
END_TEST

START_TEST(an_answer_to_another_id_is_the_workers_end)
{
	struct session *session = ready_session();

	call(session, "a");
	world.last_id++;
	packet(session, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "error:a,worker_died,alive");
}
END_TEST

START_TEST(a_state_that_is_none_is_the_workers_end)
{
	struct session *session = ready_session();

	call(session, "a");
	packet(session, WIRE_STATE, 0, "{\"moment\":3}");
	ck_assert_str_eq(world.notes, "error:a,worker_died,alive");
}
END_TEST

START_TEST(a_worker_that_does_not_read_is_lost)
{
	struct session *session = ready_session();

	world.sending = CHANNEL_AGAIN;
	call(session, "a");
	ck_assert_str_eq(world.notes, "error:a,worker_died,alive");
}
END_TEST

START_TEST(arguments_too_long_for_the_wire_are_the_clients_error)
{
	struct session *session = ready_session();

	world.sending = CHANNEL_TOO_LONG;
	call(session, "a");
	ck_assert_str_eq(world.notes, "error:a,invalid_argument,alive");
	ck_assert_int_eq(session->state, SESSION_READY);
}
END_TEST

START_TEST(an_unknown_error_code_becomes_internal)
{
	struct session *session = ready_session();

	call(session, "a");
	packet(session, 0, WIRE_FLAG_ERROR, "{\"code\":\"evil\",\"message\":\"x\"}");
	ck_assert_str_eq(world.notes, "error:a,internal,alive");
}
END_TEST

START_TEST(without_a_launcher_a_call_fails_clearly)
{
	world.launcher_gone = true;
	open_session("start");
	ck_assert_str_eq(world.notes, "error:start,internal,over");
}
END_TEST

START_TEST(a_job_ends_with_its_answer)
{
	struct session *job =
	    session_open(world.table, WORKER_QUERY, NULL, make_call("ps", WIRE_OP_PS, 30));

	deliver(job, EVENT_LAUNCHED);
	packet(job, 0, 0, "{}");
	ck_assert_int_eq(world.last_type, WIRE_OP_PS);
	packet(job, 0, 0, "{}");
	ck_assert_str_eq(world.notes, "answer:ps stop");
	deliver(job, EVENT_LOST);
	ck_assert_uint_eq(session_count(world.table, WORKER_QUERY), 0);
}
END_TEST

START_TEST(rr_interrupt_stops_what_runs_and_nothing_else)
{
	struct session *session = ready_session();

	deliver(session, EVENT_INTERRUPT);
	ck_assert_str_eq(world.notes, "");
	call(session, "a");
	deliver(session, EVENT_INTERRUPT);
	deliver(session, EVENT_INTERRUPT);
	ck_assert_str_eq(world.notes, "interrupt:asked");
	expire(session);
	ck_assert_str_eq(world.notes, "interrupt:asked error:a,cancelled,alive");
}
END_TEST

START_TEST(progress_is_thinned_out)
{
	struct session *session = ready_session();

	call(session, "a");
	for (int i = 0; i < 100; i++)
		packet(session, WIRE_PROGRESS, 0, "{\"progress\":1}");
	ck_assert_str_eq(world.notes, "progress:a");
}
END_TEST

START_TEST(the_only_session_is_the_default_and_then_the_one_used_last)
{
	const char *code;
	struct session *first, *second;

	ck_assert_ptr_null(session_choose(world.table, NULL, &code));
	ck_assert_str_eq(code, "no_session");
	first = ready_session();
	ck_assert_ptr_eq(session_choose(world.table, NULL, &code), first);
	second = ready_session();
	ck_assert_ptr_eq(session_choose(world.table, NULL, &code), second);
	call(first, "a");
	ck_assert_ptr_eq(session_choose(world.table, NULL, &code), first);
	ck_assert_ptr_eq(session_choose(world.table, "s2", &code), second);
	ck_assert_ptr_null(session_choose(world.table, "s9", &code));
	ck_assert_str_eq(code, "no_session");
	second = ready_session();
	session_deliver(
	    world.table, second, EVENT_STOP, &(struct event_data){.call = make_call("stop", 0, 0)});
	deliver(second, EVENT_LOST);
	ck_assert_ptr_null(session_choose(world.table, NULL, &code));
	ck_assert_str_eq(code, "ambiguous_session");
}
END_TEST

START_TEST(a_recording_or_a_trace_that_does_not_open_is_not_the_one_used_last)
{
	const char *code;
	struct session *second, *failed;

	ready_session();
	second = ready_session();
	session_open(world.table, WORKER_QUERY, json_object(), make_call("ps", WIRE_OP_PS, 10));
	ck_assert_ptr_eq(session_choose(world.table, NULL, &code), second);
	failed = open_session("start");
	deliver(failed, EVENT_LAUNCHED);
	packet(failed, 0, 0, "{}");
	packet(failed, 0, WIRE_FLAG_ERROR, "{\"code\":\"not_found\",\"message\":\"no\"}");
	ck_assert_ptr_eq(session_choose(world.table, NULL, &code), second);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("session");
	TCase *tests = tcase_create("session");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, every_cell_of_the_matrix_is_filled);
	tcase_add_test(tests, starting_goes_by_launch_greeting_and_opening);
	tcase_add_test(tests, a_trace_that_does_not_open_leaves_no_session);
	tcase_add_test(tests, calls_wait_for_the_one_that_runs);
	tcase_add_test(tests, the_queue_is_bounded);
	tcase_add_test(tests, a_late_command_is_interrupted_and_the_session_goes_on);
	tcase_add_test(tests, a_cancelled_command_is_interrupted_and_not_answered);
	tcase_add_test(tests, a_waiting_call_that_is_cancelled_never_runs);
	tcase_add_test(tests, cancelling_the_start_leaves_no_session);
	tcase_add_test(tests, stopping_waits_for_the_end_of_the_worker);
	tcase_add_test(tests, stopping_a_busy_session_fails_what_runs);
	tcase_add_test(tests, an_answer_of_the_wrong_type_is_the_workers_end);
	tcase_add_test(tests, an_answer_to_another_id_is_the_workers_end);
	tcase_add_test(tests, a_state_that_is_none_is_the_workers_end);
	tcase_add_test(tests, a_worker_that_does_not_read_is_lost);
	tcase_add_test(tests, arguments_too_long_for_the_wire_are_the_clients_error);
	tcase_add_test(tests, an_unknown_error_code_becomes_internal);
	tcase_add_test(tests, without_a_launcher_a_call_fails_clearly);
	tcase_add_test(tests, a_job_ends_with_its_answer);
	tcase_add_test(tests, rr_interrupt_stops_what_runs_and_nothing_else);
	tcase_add_test(tests, progress_is_thinned_out);
	tcase_add_test(tests, the_only_session_is_the_default_and_then_the_one_used_last);
	tcase_add_test(tests, a_recording_or_a_trace_that_does_not_open_is_not_the_one_used_last);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? 0 : 1;
}
