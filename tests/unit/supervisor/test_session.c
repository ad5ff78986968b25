/*
 * Sessions: state by event, with a world that only takes notes.
 */
#include "supervisor/session.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_MAX 4096

struct world {
	char notes[NOTES_MAX];
	struct session_table *table;
	struct policy *policy;
	int64_t now;
	int launches, drops;
	bool launcher_gone;
	enum channel_result sending;
	uint32_t last_type, last_id;
	json_t *last_json;
};

static struct world world;

static void note(const char *what, const char *more)
{
	size_t used = strlen(world.notes);
	snprintf(world.notes + used, sizeof(world.notes) - used, "%s%s%s%s", used ? " " : "", what,
	    more ? ":" : "", more ? more : "");
}

static int launch(void *owner, struct session *session)
{
	(void)owner;
	world.launches++;
	session->tag = (uint32_t)world.launches;
	return world.launcher_gone ? -1 : 0;
}

static enum channel_result send_packet(
    void *owner, struct session *session, uint32_t type, uint32_t id, const json_t *json)
{
	(void)owner;
	(void)session;
	if (world.sending != CHANNEL_OK)
		return world.sending;
	world.last_type = type;
	if (id != 0)
		world.last_id = id;
	json_decref(world.last_json);
	world.last_json = json_deep_copy(json);
	if (type == WIRE_INTERRUPT)
		note("interrupt", json_string_value(json_object_get(json, "reason")));
	else if (type == WIRE_STOP)
		note("stop", NULL);
	return CHANNEL_OK;
}

static void drop(void *owner, struct session *session)
{
	(void)owner;
	session->tag = 0;
	world.drops++;
}

static void answer(void *owner, struct session *session, struct call *call, struct outcome *outcome)
{
	(void)owner;
	(void)session;
	if (call->request == NULL)
		note("dropped", NULL);
	else if (outcome->result != NULL)
		note(json_is_true(json_object_get(outcome->result, "restored")) ? "restored"
										: "answer",
		    call->request);
	else {
		char text[64];
		snprintf(text, sizeof(text), "%s,%s,%s", (char *)call->request, outcome->code,
		    outcome->alive ? "alive" : "over");
		note("error", text);
	}
	json_decref(outcome->result);
	json_decref(outcome->extra);
	json_decref(call->args);
	free(call);
}

static void progress(
    void *owner, struct call *call, double value, double total, const char *message)
{
	(void)owner;
	(void)value;
	(void)total;
	(void)message;
	note("progress", call->request);
}

static json_t *start_message(void *owner, struct session *session)
{
	(void)owner;
	(void)session;
	return json_object();
}

static int64_t now(void *owner)
{
	(void)owner;
	return world.now;
}

static void set_up(void)
{
	struct session_ports ports = {
	    launch, send_packet, drop, answer, progress, start_message, now, NULL, NULL};

	memset(&world, 0, sizeof(world));
	world.now = 1000 * DEADLINE_SECOND;
	world.policy = policy_new();
	ports.policy = world.policy;
	world.table = session_table_new(&ports);
}

static void tear_down(void)
{
	session_table_free(world.table);
	policy_free(world.policy);
	json_decref(world.last_json);
}

static struct call *make_call(const char *name, uint32_t operation, long long seconds)
{
	struct call *call = calloc(1, sizeof(*call));

	call->request = (void *)name;
	call->operation = operation;
	call->seconds = seconds;
	call->args = json_object();
	return call;
}

static struct session *open_session(const char *name)
{
	return session_open(
	    world.table, WORKER_REPLAY, json_object(), make_call(name, WIRE_OP_REPLAY_START, 90));
}

static void deliver(struct session *session, enum session_event event)
{
	session_deliver(world.table, session, event,
	    &(struct event_data){.code = "worker_died", .why = "gone"});
}

/* The worker's packet; type 0 answers what was sent last. */
static void packet(struct session *session, uint32_t type, uint32_t flags, const char *text)
{
	struct channel_packet got = {.type = type ? type : world.last_type + 1,
	    .id = world.last_id,
	    .flags = flags,
	    .json = json_loads(text, 0, NULL)};

	ck_assert_ptr_nonnull(got.json);
	session_packet(world.table, session, &got);
	json_decref(got.json);
}

static struct session *ready_session(void)
{
	struct session *session = open_session("start");

	deliver(session, EVENT_LAUNCHED);
	packet(session, 0, 0, "{}"); /* WIRE_OP_START */
	packet(session, 0, 0, "{}"); /* WIRE_OP_REPLAY_START */
	ck_assert_int_eq(session->state, SESSION_READY);
	ck_assert_str_eq(world.notes, "answer:start");
	world.notes[0] = 0;
	return session;
}

static void call(struct session *session, const char *name)
{
	ck_assert(session_call(world.table, session, make_call(name, WIRE_OP_CONTINUE, 10)));
}

static void bring_back(struct session *session)
{
	deliver(session, EVENT_LAUNCHED);
	packet(session, 0, 0, "{}");
	packet(session, 0, 0, "{}");
}

static void expire(struct session *session)
{
	world.now = session->deadline;
	session_expire(world.table, world.now);
}

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

static void lose_idle(struct session *session)
{
	session_deliver(world.table, session, EVENT_LOST,
	    &(struct event_data){.code = "worker_died", .why = "gone", .not_taken = true});
}

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
	tcase_add_test(tests, one_that_ignores_the_interrupt_is_killed_and_comes_back);
	tcase_add_test(tests, a_dead_worker_fails_the_call_in_flight_and_the_next_restores);
	tcase_add_test(
	    tests, a_call_that_meets_a_worker_that_died_idle_runs_restored_but_only_once);
	tcase_add_test(tests, a_call_that_finds_the_channel_closed_runs_restored);
	tcase_add_test(tests, two_failed_restores_give_the_session_up);
	tcase_add_test(tests, a_cancelled_command_is_interrupted_and_not_answered);
	tcase_add_test(tests, the_call_after_a_cancelled_one_that_had_to_be_killed_runs_restored);
	tcase_add_test(tests, a_waiting_call_that_is_cancelled_never_runs);
	tcase_add_test(tests, cancelling_the_start_leaves_no_session);
	tcase_add_test(tests, stopping_waits_for_the_end_of_the_worker);
	tcase_add_test(tests, stopping_a_busy_session_fails_what_runs);
	tcase_add_test(tests, an_idle_session_rests_and_comes_back);
	tcase_add_test(tests, an_answer_of_the_wrong_type_is_the_workers_end);
	tcase_add_test(tests, an_answer_to_another_id_is_the_workers_end);
	tcase_add_test(tests, a_state_that_is_none_is_the_workers_end);
	tcase_add_test(tests, a_worker_that_does_not_read_is_lost);
	tcase_add_test(tests, arguments_too_long_for_the_wire_are_the_clients_error);
	tcase_add_test(tests, an_unknown_error_code_becomes_internal);
	tcase_add_test(tests, without_a_launcher_a_call_fails_clearly);
	tcase_add_test(tests, a_job_ends_with_its_answer);
	tcase_add_test(tests, rr_interrupt_stops_what_runs_and_nothing_else);
	tcase_add_test(tests, rr_interrupt_ends_the_call_that_waits_for_a_restore);
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
