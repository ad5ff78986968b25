/*
 * Sessions: every state and event, with a world that only takes notes.
 */
#include "supervisor/session_slot.h"
#include "supervisor/tools.h"
#include "tests/unit/supervisor/world.h"

START_TEST(starting_goes_by_launch_start_and_opening)
{
	struct session *session = open_session("start");

	expect_state(session, "starting");
	session_launched(session, "");
	expect_state(session, "starting");
	ck_assert_int_eq(workers.last_type, WIRE_OP_START);
	answered(session);
	expect_state(session, "starting");
	ck_assert_int_eq(workers.last_type, WIRE_OP_REPLAY_START);
	answered(session);
	expect_state(session, "ready");
	ck_assert_str_eq(session_name(session), "s1");
}
END_TEST

START_TEST(a_trace_that_does_not_open_leaves_no_session)
{
	struct session *session = open_session("start");

	session_launched(session, "");
	answered(session);
	packet(session, 0, WIRE_FLAG_ERROR, "{\"code\":\"not_found\",\"message\":\"no\"}");
	expect_gone("error:start,not_found,over");
	ck_assert_str_eq(session_name(open_session("again")), "s1");
}
END_TEST

START_TEST(calls_wait_for_the_one_that_runs)
{
	struct session *session = ready_session();

	call(session, "a");
	call(session, "b");
	answered(session);
	expect_notes("answer:a");
	expect_state(session, "running");
	answered(session);
	expect_notes("answer:a answer:b");
	expect_state(session, "ready");
}
END_TEST

START_TEST(the_queue_is_bounded)
{
	struct session *session = ready_session();
	struct call *extra = make_call("extra", WIRE_OP_STEP, 1);

	for (int i = 0; i < SESSION_CALLS_MAX; i++)
		call(session, "a");
	ck_assert(!session_add_call(session, extra));
	json_decref(extra->args);
	free(extra);
}
END_TEST

START_TEST(a_late_command_is_interrupted_and_the_session_goes_on)
{
	struct session *session = ready_session();

	call(session, "a");
	expire();
	expect_state(session, "stopping");
	packet(session, WIRE_OP_CONTINUE + 1, WIRE_FLAG_ERROR,
	    "{\"code\":\"timeout\",\"message\":\"late\"}");
	expect_notes("interrupt:timeout error:a,timeout,alive");
	expect_state(session, "ready");
	ck_assert_int_eq(workers.drops, 0);
}
END_TEST

START_TEST(a_late_command_whose_processes_had_to_be_killed_can_be_called_with_more_time)
{
	struct session *session = ready_session();

	call(session, "a")->tool = TOOL_TRACE_CALLS;
	expire();
	expire();
	ck_assert_str_eq(world.notes, "interrupt:timeout error:a,timeout,alive");
	ck_assert_ptr_nonnull(strstr(world.hint, "longer deadline"));
	bring_back(session);
	call(session, "b")->tool = TOOL_EVALUATE;
	expire();
	expire();
	ck_assert_ptr_null(strstr(world.hint, "deadline"));
}
END_TEST

START_TEST(a_cancelled_command_is_interrupted_and_not_answered)
{
	struct session *session = ready_session();

	struct call *running = call(session, "a");

	call(session, "b");
	session_cancel(running);
	expect_notes("interrupt:cancelled");
	packet(session, WIRE_OP_CONTINUE + 1, 0, "{}");
	answered(session);
	expect_notes("interrupt:cancelled dropped answer:b");
}
END_TEST

START_TEST(a_waiting_call_that_is_cancelled_never_runs)
{
	struct session *session = ready_session();

	call(session, "a");
	session_cancel(call(session, "b"));
	answered(session);
	expect_notes("dropped answer:a");
	expect_state(session, "ready");
}
END_TEST

START_TEST(cancelling_the_start_leaves_no_session)
{
	struct call *start = make_call("start", WIRE_OP_REPLAY_START, 90);

	session_open(world.table, WORKER_REPLAY, json_object(), start);
	session_cancel(start);
	expect_gone("dropped");
	ck_assert_int_eq(workers.drops, 1);
}
END_TEST

START_TEST(stopping_waits_for_the_end_of_the_worker)
{
	struct session *session = ready_session();

	session_stop(session, make_call("stop", 0, 0));
	expect_state(session, "ending");
	expect_notes("stop");
	lose(session);
	expect_gone("stop answer:stop");
}
END_TEST

START_TEST(stopping_a_busy_session_fails_what_runs)
{
	struct session *session = ready_session();

	call(session, "a");
	call(session, "b");
	session_stop(session, make_call("stop", 0, 0));
	expect_notes("error:a,cancelled,over error:b,no_session,over answer:stop");
}
END_TEST

static const struct {
	uint32_t type;
	const char *json;
} broken[] = {
    {WIRE_OP_STEP + 1, "{}"}, /* no answer to this call */
    {WIRE_STATE, "{\"moment\":3}"},
};

START_TEST(a_packet_that_breaks_the_protocol_is_the_workers_end)
{
	struct session *session = ready_session();

	call(session, "a");
	packet(session, broken[_i].type, 0, broken[_i].json);
	expect_notes("error:a,worker_died,alive");
}
END_TEST

START_TEST(an_answer_to_another_id_is_the_workers_end)
{
	struct session *session = ready_session();

	call(session, "a");
	workers.last_id++;
	answered(session);
	expect_notes("error:a,worker_died,alive");
}
END_TEST

/* A worker that does not read is lost; arguments too long for the wire are the client's error. */
static const struct {
	enum channel_result sending;
	const char *notes, *state;
} unsent[] = {
    {CHANNEL_AGAIN, "error:a,worker_died,alive", "resting"},
    {CHANNEL_TOO_LONG, "error:a,invalid_argument,alive", "ready"},
};

START_TEST(a_call_that_cannot_be_sent_fails)
{
	struct session *session = ready_session();

	workers.sending = unsent[_i].sending;
	call(session, "a");
	expect_notes(unsent[_i].notes);
	expect_state(session, unsent[_i].state);
}
END_TEST

START_TEST(an_unknown_error_code_becomes_internal)
{
	struct session *session = ready_session();

	call(session, "a");
	packet(session, 0, WIRE_FLAG_ERROR, "{\"code\":\"evil\",\"message\":\"x\"}");
	expect_notes("error:a,internal,alive");
}
END_TEST

START_TEST(without_a_launcher_a_call_fails_clearly)
{
	workers.launcher_gone = true;
	open_session("start");
	expect_notes("error:start,internal,over");
}
END_TEST

START_TEST(a_job_ends_with_its_answer)
{
	struct session *job =
	    session_open(world.table, WORKER_QUERY, NULL, make_call("ps", WIRE_OP_PS, 30));

	session_launched(job, "");
	packet(job, 0, 0, "{}");
	ck_assert_int_eq(workers.last_type, WIRE_OP_PS);
	packet(job, 0, 0, "{}");
	expect_notes("answer:ps stop");
	lose(job);
	ck_assert_uint_eq(session_count(world.table, WORKER_QUERY), 0);
}
END_TEST

START_TEST(rr_interrupt_stops_what_runs_and_nothing_else)
{
	struct session *session = ready_session();

	session_interrupt(session);
	expect_notes("");
	call(session, "a");
	session_interrupt(session);
	session_interrupt(session);
	expect_notes("interrupt:asked");
	expire();
	expect_notes("interrupt:asked error:a,cancelled,alive");
}
END_TEST

/* A recording in the background, and what goes beside it. */
static struct session *background_recording(void)
{
	struct call *record = make_call("record", WIRE_OP_RECORD, 0);
	struct session *session;

	json_object_set_new(record->args, "background", json_true());
	session = session_open(world.table, WORKER_RECORD, NULL, record);
	session_launched(session, "");
	answered(session);
	packet(session, WIRE_BEGUN, 0, "{\"trace_dir\":\"/t\"}");
	expect_notes("answer:record");
	return session;
}

static uint32_t give_input(struct session *session, const char *name)
{
	session_send_aside(session, make_call(name, 0, 0), WIRE_RECORD_INPUT, json_object());
	return workers.last_id;
}

START_TEST(input_that_is_never_answered_fails_and_a_late_answer_does_no_harm)
{
	struct session *session = background_recording();
	uint32_t operation = workers.last_id, first = give_input(session, "a"), second;

	world.now += 10 * DEADLINE_SECOND;
	second = give_input(session, "b");
	expire();
	expect_notes("answer:record error:a,timeout,over");
	workers.last_id = first;
	packet(session, WIRE_RECORD_INPUT + 1, 0, "{}");
	workers.last_id = second;
	packet(session, WIRE_RECORD_INPUT + 1, 0, "{}");
	expect_notes("answer:record error:a,timeout,over answer:b");
	ck_assert(session_nearest_deadline(world.table) == DEADLINE_NEVER);
	workers.last_id = operation;
	packet(session, WIRE_OP_RECORD + 1, 0, "{}");
	ck_assert_int_eq(workers.drops, 0);
}
END_TEST

START_TEST(an_answer_to_input_that_nobody_gave_is_the_workers_end)
{
	struct session *session = background_recording();

	workers.last_id = give_input(session, "a") + 1;
	packet(session, WIRE_RECORD_INPUT + 1, 0, "{}");
	ck_assert_int_eq(workers.drops, 1);
}
END_TEST

START_TEST(a_recording_that_still_closes_its_trace_gets_more_time_but_not_for_ever)
{
	struct session *session = background_recording();
	int64_t began = world.now;

	session_end_recording(session, make_call("stop", 0, 0), 0);
	for (int i = 0; i < 60; i++) {
		world.now += DEADLINE_SECOND;
		packet(session, WIRE_PROGRESS, 0, "{\"progress\":1}");
		session_expire(world.table, world.now);
	}
	ck_assert_int_eq(workers.drops, 0);
	for (int i = 0; i < 60 && workers.drops == 0; i++) {
		world.now += DEADLINE_SECOND;
		packet(session, WIRE_PROGRESS, 0, "{\"progress\":1}");
		session_expire(world.table, world.now);
	}
	ck_assert_int_eq(workers.drops, 1);
	ck_assert(world.now - began <= 101 * DEADLINE_SECOND);
}
END_TEST

START_TEST(what_is_known_of_a_recording_in_which_rr_stopped_is_kept_for_who_asks_later)
{
	struct session *session = background_recording();
	json_t *ended;

	packet(session, 0, WIRE_FLAG_ERROR,
	    "{\"code\":\"rr_failed\",\"message\":\"rr itself stopped\",\"rr_said\":\"/t/x\"}");
	ended = json_array_get(session_ended_recordings(world.table), 0);
	ck_assert_str_eq(
	    json_string_value(json_object_get(json_object_get(ended, "details"), "rr_said")),
	    "/t/x");
}
END_TEST

START_TEST(a_command_is_shown_up_to_the_last_whole_character)
{
	struct session *session = background_recording();
	char words[210];
	json_auto_t *shown = NULL;

	memset(words, 'x', 198);
	strlcpy(words + 198, "\xc3\xa4z", 12);
	json_object_set_new(session->calls->args, "command", json_pack("[s]", words));
	shown = session_describe_recording(session);
	ck_assert_uint_eq(json_string_length(json_object_get(shown, "command")), 198);
}
END_TEST

START_TEST(progress_is_thinned_out)
{
	struct session *session = ready_session();

	call(session, "a");
	for (int i = 0; i < 100; i++)
		packet(session, WIRE_PROGRESS, 0, "{\"progress\":1}");
	expect_notes("progress:a");
}
END_TEST

START_TEST(the_only_session_is_the_default_and_then_the_one_used_last)
{
	enum error_code code;
	struct session *first, *second;

	ck_assert_ptr_null(session_choose(world.table, NULL, &code));
	ck_assert_int_eq(code, ERROR_NO_SESSION);
	first = ready_session();
	ck_assert_ptr_eq(session_choose(world.table, NULL, &code), first);
	second = ready_session();
	ck_assert_ptr_eq(session_choose(world.table, NULL, &code), second);
	call(first, "a");
	ck_assert_ptr_eq(session_choose(world.table, NULL, &code), first);
	ck_assert_ptr_eq(session_choose(world.table, "s2", &code), second);
	ck_assert_ptr_null(session_choose(world.table, "s9", &code));
	ck_assert_int_eq(code, ERROR_NO_SESSION);
	second = ready_session();
	session_stop(second, make_call("stop", 0, 0));
	lose(second);
	ck_assert_ptr_null(session_choose(world.table, NULL, &code));
	ck_assert_int_eq(code, ERROR_AMBIGUOUS_SESSION);
}
END_TEST

START_TEST(a_recording_or_a_trace_that_does_not_open_is_not_the_one_used_last)
{
	enum error_code code;
	struct session *second, *failed;

	ready_session();
	second = ready_session();
	session_open(world.table, WORKER_QUERY, json_object(), make_call("ps", WIRE_OP_PS, 10));
	ck_assert_ptr_eq(session_choose(world.table, NULL, &code), second);
	failed = open_session("start");
	session_launched(failed, "");
	packet(failed, 0, 0, "{}");
	packet(failed, 0, WIRE_FLAG_ERROR, "{\"code\":\"not_found\",\"message\":\"no\"}");
	ck_assert_ptr_eq(session_choose(world.table, NULL, &code), second);
}
END_TEST

static struct session *session_with_page(const char *name)
{
	struct session *session = ready_session();
	struct call *call = make_call(name, WIRE_OP_REPORT, 10);

	call->wants_page = true;
	ck_assert(session_add_call(session, call));
	ck_assert(json_is_true(json_object_get(workers.last_json, "page")));
	return session;
}

START_TEST(a_page_comes_in_parts_before_the_answer)
{
	struct session *session = session_with_page("report");

	packet(session, WIRE_PAGE, 0, "{\"text\":\"<p>one,\"}");
	packet(session, WIRE_PAGE, 0, "{\"text\":\" two</p>\"}");
	expect_notes("");
	answered(session);
	expect_notes("answer:report");
	ck_assert_str_eq(world.page, "<p>one, two</p>");
	call(session, "next");
	ck_assert_ptr_null(json_object_get(workers.last_json, "page"));
	answered(session);
	ck_assert_str_eq(world.page, "");
}
END_TEST

START_TEST(a_page_that_nobody_asked_for_is_the_workers_end)
{
	struct session *session = ready_session();

	call(session, "a");
	packet(session, WIRE_PAGE, 0, "{\"text\":\"<p>\"}");
	expect_notes("error:a,worker_died,alive");
}
END_TEST

static const char *const no_parts[] = {"{}", "{\"text\":1}", "{\"text\":\"\"}"};

START_TEST(a_part_without_text_is_the_workers_end)
{
	packet(session_with_page("report"), WIRE_PAGE, 0, no_parts[_i]);
	expect_notes("error:report,worker_died,alive");
}
END_TEST

START_TEST(a_page_without_end_is_the_workers_end)
{
	struct session *session = session_with_page("report");
	static char part[60000 + 16];

	snprintf(part, sizeof(part), "{\"text\":\"%060000d\"}", 0);
	for (int i = 0; i < 34; i++)
		packet(session, WIRE_PAGE, 0, part);
	expect_notes("");
	packet(session, WIRE_PAGE, 0, part); /* 2 MiB are the bound of a report */
	expect_notes("error:report,worker_died,alive");
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {starting_goes_by_launch_start_and_opening, 1},
	    {a_trace_that_does_not_open_leaves_no_session, 1},
	    {calls_wait_for_the_one_that_runs, 1},
	    {the_queue_is_bounded, 1},
	    {a_late_command_is_interrupted_and_the_session_goes_on, 1},
	    {a_late_command_whose_processes_had_to_be_killed_can_be_called_with_more_time, 1},
	    {a_cancelled_command_is_interrupted_and_not_answered, 1},
	    {a_waiting_call_that_is_cancelled_never_runs, 1},
	    {cancelling_the_start_leaves_no_session, 1},
	    {stopping_waits_for_the_end_of_the_worker, 1},
	    {stopping_a_busy_session_fails_what_runs, 1},
	    {an_answer_to_another_id_is_the_workers_end, 1},
	    {an_unknown_error_code_becomes_internal, 1},
	    {without_a_launcher_a_call_fails_clearly, 1},
	    {a_job_ends_with_its_answer, 1},
	    {rr_interrupt_stops_what_runs_and_nothing_else, 1},
	    {input_that_is_never_answered_fails_and_a_late_answer_does_no_harm, 1},
	    {an_answer_to_input_that_nobody_gave_is_the_workers_end, 1},
	    {a_command_is_shown_up_to_the_last_whole_character, 1},
	    {progress_is_thinned_out, 1},
	    {the_only_session_is_the_default_and_then_the_one_used_last, 1},
	    {a_recording_that_still_closes_its_trace_gets_more_time_but_not_for_ever, 1},
	    {what_is_known_of_a_recording_in_which_rr_stopped_is_kept_for_who_asks_later, 1},
	    {a_recording_or_a_trace_that_does_not_open_is_not_the_one_used_last, 1},
	    {a_packet_that_breaks_the_protocol_is_the_workers_end, TIMES(broken)},
	    {a_page_comes_in_parts_before_the_answer, 1},
	    {a_page_that_nobody_asked_for_is_the_workers_end, 1},
	    {a_part_without_text_is_the_workers_end, TIMES(no_parts)},
	    {a_page_without_end_is_the_workers_end, 1},
	    {a_call_that_cannot_be_sent_fails, TIMES(unsent)},
	    {NULL, 0},
	};

	return run_loops("session", tests, set_up, tear_down);
}
