/*
 * What a session does on an event, by its state: the matrix at the end of this file. Each action
 * leaves the session in a state it can stay in, or frees it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/session_slot.h"

typedef void action(struct session *session, const struct event_data *data);

static int64_t now_of(const struct session *session)
{
	return session->table->ports.now();
}

static void enter(struct session *session, enum session_state state, int64_t deadline)
{
	session->state = state;
	session->deadline = deadline;
}

static int64_t class_deadline(const struct session *session, enum deadline_class class)
{
	return deadline_after(
	    now_of(session), deadline_seconds(session->table->ports.settings, class, NULL));
}

static struct call *pop_call(struct session *session)
{
	struct call *call = session->calls;

	if (call != NULL)
		session->calls = call->next;
	return call;
}

/* A worker that does not exist, or has ended, accepts nothing. */
static enum channel_result send_packet(
    struct session *session, uint32_t type, uint32_t id, const json_t *json)
{
	return session->connection == NULL
		   ? CHANNEL_CLOSED
		   : session->table->ports.send(session->connection, type, id, json);
}

static void drop_worker(struct session *session)
{
	if (session->connection != NULL)
		session->table->ports.drop(session->connection);
	session->connection = NULL;
}

static void answer_call(struct session *session, struct call *call, struct outcome *outcome)
{
	if (outcome->result != NULL || outcome->alive) {
		json_t *fields = outcome->result;
		if (fields == NULL)
			fields = outcome->failure.details =
			    outcome->failure.details ? outcome->failure.details : json_object();
		if (session->restored)
			json_object_set_new(fields, "restored", json_true());
		session->restored = false;
	}
	session_answer(session, call, outcome);
}

static void fail_call(struct session *session, struct call *call, enum error_code code,
    const char *message, const char *hint, bool alive)
{
	struct outcome outcome = {.alive = alive};

	failure_set(&outcome.failure, code, hint, "%s", message);
	answer_call(session, call, &outcome);
}

static void fail_rest(struct session *session, const char *message)
{
	struct call *call;

	while ((call = pop_call(session)) != NULL)
		fail_call(session, call, ERROR_NO_SESSION, message,
		    "rr_replay_start opens a session again", false);
}

/* The session is over: answers everybody who waits. */
void session_end(struct session *session, const char *message)
{
	struct call *call;

	session->closing = true;
	drop_worker(session);
	fail_rest(session, message);
	session_fail_asides(session, message);
	while ((call = session->stops) != NULL) {
		struct outcome outcome = {
		    .result = json_pack("{s:s, s:b}", "session", session->id, "stopped", 1)};
		session->stops = call->next;
		if (session->kind == WORKER_RECORD) {
			json_decref(outcome.result);
			fail_call(session, call, ERROR_CANCELLED, message, NULL, false);
			continue;
		}
		session_answer(session, call, &outcome);
	}
	session_release(session);
}

void session_end_all(
    struct session_table *table, const struct failure *failure, bool spare_recordings)
{
	struct session *session = NULL;
	struct call *call;

	while ((session = session_next(table, session)) != NULL) {
		if (spare_recordings && session->calls != NULL && session->calls->background)
			continue;
		while ((call = pop_call(session)) != NULL)
			fail_call(
			    session, call, failure->code, failure->message, failure->hint, false);
		session_end(session, failure->message);
	}
}

static void lose(struct session *session, const struct event_data *data);

static const struct failure deaf = {
    .code = ERROR_WORKER_DIED, .message = "the worker stopped reading requests"};

static const struct failure no_launcher = {.code = ERROR_INTERNAL,
    .message = "the process that starts workers has ended",
    .hint = "restart the server"};

static const struct failure too_long = {.code = ERROR_INVALID_ARGUMENT,
    .message = "the arguments are longer than 64 KB",
    .hint = "pass shorter arguments"};

/* Sends a request, which is outstanding from now on. A worker that does not accept it is lost. */
static enum channel_result send_operation(struct session *session, uint32_t operation, json_t *json)
{
	uint32_t id = ++session->last_wire_id;
	enum channel_result sent;

	if (id == 0)
		id = ++session->last_wire_id;
	session->outstanding_id = id;
	session->outstanding_type = operation + 1;
	sent = json == NULL ? CHANNEL_TOO_LONG : send_packet(session, operation, id, json);
	json_decref(json);
	session->unsent = sent == CHANNEL_CLOSED;
	if (sent == CHANNEL_AGAIN || sent == CHANNEL_REJECTED)
		lose(session, &(struct event_data){.failure = &deaf});
	return sent;
}

/* Asks for a worker, for a session that has calls and none. */
static void begin(struct session *session)
{
	const struct session_ports *ports = &session->table->ports;

	session->outstanding_id = 0;
	enter(session, SESSION_LAUNCHING, class_deadline(session, DEADLINE_STARTUP));
	session->connection = ports->launch(ports->workers, session->spec, session);
	if (session->connection == NULL)
		session_deliver(
		    session, EVENT_LAUNCH_FAILED, &(struct event_data){.failure = &no_launcher});
}

/* Gives the first call to a worker that has none. */
static void send_next_call(struct session *session)
{
	while (
	    session->table != NULL && session->state == SESSION_READY && session->calls != NULL) {
		struct call *call = session->calls;

		enter(session, SESSION_RUNNING, deadline_after(now_of(session), call->seconds));
		if (send_operation(session, call->operation, session_request(call)) !=
		    CHANNEL_TOO_LONG)
			return;
		session->outstanding_id = 0;
		session->state = SESSION_READY;
		fail_call(session, pop_call(session), too_long.code, too_long.message,
		    too_long.hint, true);
	}
}

static void become_ready(struct session *session)
{
	long long idle = settings_number(session->table->ports.settings, SETTING_IDLE);

	session->last_used = now_of(session);
	enter(session, SESSION_READY, deadline_after(session->last_used, idle));
	send_next_call(session);
}

static void do_nothing(struct session *session, const struct event_data *data)
{
	(void)session;
	(void)data;
}

/* EVENT_CALL in a session that can take it. */
static void run_call(struct session *session, const struct event_data *data)
{
	(void)data;
	send_next_call(session);
}

static void revive(struct session *session, const struct event_data *data)
{
	(void)data;
	begin(session);
}

static void await_start(struct session *session, const struct event_data *data)
{
	(void)data;
	session->state = SESSION_STARTING;
	session->outstanding_id = WIRE_START_ID;
	session->outstanding_type = WIRE_OP_START + 1;
}

/* The worker could not be started, or could not reach the session's last stop. The failure's
 * details are stolen. */
static void fail_opening(struct session *session, const struct failure *failure)
{
	struct outcome outcome = {.failure = *failure};
	struct call *call = pop_call(session);
	bool give_up = !session->opened || ++session->restore_failures >= SESSION_RESTORE_MAX;

	drop_worker(session);
	outcome.alive = !give_up;
	if (session->opened)
		failure_set(&outcome.failure, failure->code,
		    give_up ? "rr_replay_start opens the trace again" : failure->hint,
		    "the session could not be restored%s: %s",
		    give_up ? " twice in a row and is closed" : "", failure->message);
	if (give_up)
		session->closing = true;
	if (call != NULL)
		answer_call(session, call, &outcome);
	else
		json_decref(outcome.failure.details);
	if (give_up) {
		session_end(session, session->opened ? "the session could not be restored"
						     : "the session could not be opened");
		return;
	}
	enter(session, SESSION_DEAD, DEADLINE_NEVER);
	if (session->calls != NULL)
		begin(session);
}

static void launch_failed(struct session *session, const struct event_data *data)
{
	struct failure failure = *data->failure;

	/* of another wrong name, the message says what would be right */
	if (failure.hint[0] == 0 &&
	    (failure.code == ERROR_SANDBOX_VIOLATION || failure.code == ERROR_INTERNAL))
		failure_set_hint(&failure, "rr_status shows what may be wrong");
	else if (failure.hint[0] == 0 && session->kind == WORKER_REPLAY)
		failure_set_hint(&failure, session_hint_to_open(session, &failure));
	fail_opening(session, &failure);
}

static void fail_opening_by_answer(struct session *session, const struct channel_packet *packet)
{
	struct failure failure = {0};

	session_read_failure(&failure, packet);
	fail_opening(session, &failure);
}

static void open_trace(struct session *session, const struct event_data *data)
{
	json_t *request;

	if (data->packet->flags & WIRE_FLAG_ERROR) {
		fail_opening_by_answer(session, data->packet);
		return;
	}
	json_decref(session->sandbox);
	session->sandbox = json_incref(json_object_get(data->packet->json, "sandbox"));
	if (session->kind != WORKER_REPLAY) {
		become_ready(session);
		return;
	}
	request = json_pack("{s:O}", "args", session->open_args);
	if (session->opened && session->worker_state != NULL)
		json_object_set(request, "restore", session->worker_state);
	enter(session, SESSION_OPENING, class_deadline(session, DEADLINE_OPEN));
	if (send_operation(session, session->opening, request) == CHANNEL_TOO_LONG)
		fail_opening(session, &too_long);
}

static void opened(struct session *session, const struct event_data *data)
{
	struct call *call = session->calls;

	if (data->packet->flags & WIRE_FLAG_ERROR) {
		fail_opening_by_answer(session, data->packet);
		return;
	}
	session->restored = session->opened;
	session->opened = true;
	session->table->last_used = session;
	session->restore_failures = 0;
	if (call != NULL && call->operation == session->opening) {
		struct outcome outcome = {.result = json_incref(data->packet->json)};
		if (json_object_get(outcome.result, "sandbox") == NULL && session->sandbox != NULL)
			json_object_set(outcome.result, "sandbox", session->sandbox);
		answer_call(session, pop_call(session), &outcome);
	}
	become_ready(session);
}

static void stop_worker(struct session *session)
{
	json_t *nothing = json_object();

	session->outstanding_id = 0;
	enter(session, SESSION_STOPPING,
	    now_of(session) + DEADLINE_STOP_MS * (DEADLINE_SECOND / 1000));
	send_packet(session, WIRE_STOP, 0, nothing);
	json_decref(nothing);
}

static void finish_call(struct session *session, const struct event_data *data)
{
	struct call *call = pop_call(session);
	struct outcome outcome = {0};

	if (data->packet->flags & WIRE_FLAG_ERROR) {
		outcome.alive = session->kind == WORKER_REPLAY;
		session_read_failure(&outcome.failure, data->packet);
	} else {
		outcome.result = json_incref(data->packet->json);
	}
	session_note_end(session, call, &outcome);
	answer_call(session, call, &outcome);
	if (session->kind == WORKER_REPLAY) {
		become_ready(session);
		return;
	}
	session->closing = true;
	stop_worker(session);
}

/* A worker that died while it was idle has not seen the call that was sent to it in the meantime.
 */
static bool can_run_again(const struct session *session, const struct event_data *data)
{
	return session->kind == WORKER_REPLAY && session->state == SESSION_RUNNING &&
	       session->calls && (data->not_taken || session->unsent) && !session->calls->again;
}

/* What to do about a call whose worker is gone. */
static const char *hint_of_loss(
    const struct session *session, const struct call *call, const struct failure *failure)
{
	bool replays = session->kind == WORKER_REPLAY;

	if (failure->code == ERROR_TIMEOUT && deadline_is_argument((size_t)call->tool))
		return replays ? "call it again with a longer deadline; the session is then "
				 "restored at its last stop"
			       : "call it again with a longer deadline";
	return replays ? "the next call on the session restores it at its last stop" : "try again";
}

static void lose(struct session *session, const struct event_data *data)
{
	struct call *call;

	session->outstanding_id = 0;
	/* Another launcher did not get the request. Launchers that keep dying end the server. */
	if (session->state == SESSION_LAUNCHING && data->not_taken) {
		drop_worker(session);
		begin(session);
		return;
	}
	if (can_run_again(session, data)) {
		session->calls->again = true;
		drop_worker(session);
		begin(session);
		return;
	}
	if (session->state <= SESSION_OPENING) {
		struct failure failure = *data->failure;
		failure_set_hint(&failure, session->opened
					       ? "the next call tries again"
					       : "try again; rr_status shows what may be wrong");
		fail_opening(session, &failure);
		return;
	}
	drop_worker(session);
	call = session->state == SESSION_READY ? NULL : pop_call(session);
	if (call != NULL)
		session_note_end(session, call, &(struct outcome){.failure = *data->failure});
	if (call != NULL)
		fail_call(session, call, data->failure->code, data->failure->message,
		    hint_of_loss(session, call, data->failure), session->kind == WORKER_REPLAY);
	if (session->kind != WORKER_REPLAY) {
		session_end(session, data->failure->message);
		return;
	}
	enter(session, SESSION_DEAD, DEADLINE_NEVER);
	if (session->calls != NULL)
		begin(session);
}

/* A stopping worker's end, or its kill. */
static void gone(struct session *session, const struct event_data *data)
{
	(void)data;
	drop_worker(session);
	if (session->closing) {
		session_end(session, "the session was stopped");
		return;
	}
	enter(session, SESSION_DEAD, DEADLINE_NEVER);
	if (session->calls != NULL)
		begin(session);
}

static void start_too_late(struct session *session, const struct event_data *data)
{
	struct failure late = {0};

	(void)data;
	failure_set(&late, ERROR_TIMEOUT, NULL,
	    session->state == SESSION_OPENING ? "rr and gdb did not start in time"
					      : "the worker did not start in time");
	lose(session, &(struct event_data){.failure = &late});
}

static void interrupt(struct session *session, const char *reason)
{
	json_t *json = json_pack("{s:s}", "reason", reason);

	session_await_end(session, reason,
	    session->kind == WORKER_RECORD ? DEADLINE_RECORD_GRACE_MS : DEADLINE_GRACE_MS);
	send_packet(session, WIRE_INTERRUPT, 0, json);
	json_decref(json);
}

static void interrupt_late(struct session *session, const struct event_data *data)
{
	(void)data;
	interrupt(session, "timeout");
}

static void interrupt_asked(struct session *session, const struct event_data *data)
{
	(void)data;
	interrupt(session, "asked");
}

static void kill_late(struct session *session, const struct event_data *data)
{
	bool asked = strcmp(session->interrupt_reason, "timeout") != 0;
	struct failure failure = {0};

	(void)data;
	if (asked)
		failure_set(&failure, ERROR_CANCELLED, NULL,
		    "the command did not stop when it was interrupted; its processes were killed");
	else
		failure_set(&failure, ERROR_TIMEOUT, NULL,
		    "the command did not end within its limit of %lld s and did not stop when it "
		    "was interrupted; its processes were killed",
		    session->calls == NULL ? 0 : session->calls->seconds);
	lose(session, &(struct event_data){.failure = &failure});
}

static void let_idle_go(struct session *session, const struct event_data *data)
{
	(void)data;
	stop_worker(session);
}

/* rr_interrupt while a session is being restored: the call that waits for it must not run. */
static void interrupt_start(struct session *session, const struct event_data *data)
{
	(void)data;
	if (session->opened && session->calls != NULL)
		fail_call(session, pop_call(session), ERROR_CANCELLED,
		    "the command was interrupted before it began, because the session was still "
		    "being restored",
		    NULL, true);
}

/* Removes a waiting call from the queue, because its client has cancelled it. */
static void forget_waiting(struct session *session, const struct event_data *data)
{
	struct call **at = &session->calls;
	struct outcome nothing = {0};

	data->call->request = NULL;
	while (*at != NULL && *at != data->call)
		at = &(*at)->next;
	if (*at == NULL)
		return; /* an rr_replay_stop: the stop goes on */
	*at = data->call->next;
	session_answer(session, data->call, &nothing);
}

static void cancel_start(struct session *session, const struct event_data *data)
{
	bool first = session->calls == data->call;

	forget_waiting(session, data);
	if (first && !session->opened)
		session_end(session, "the call that opened the session was cancelled");
}

static void cancel_running(struct session *session, const struct event_data *data)
{
	if (session->calls != data->call) {
		forget_waiting(session, data);
		return;
	}
	data->call->request = NULL;
	if (session->state == SESSION_RUNNING)
		interrupt(session, "cancelled");
}

static void add_stop(struct session *session, const struct event_data *data)
{
	data->call->next = session->stops;
	data->call->session = session;
	session->stops = data->call;
	session->closing = true;
}

static void stop_idle(struct session *session, const struct event_data *data)
{
	add_stop(session, data);
	stop_worker(session);
}

/* rr_replay_stop while a call runs: that call fails. */
static void abandon(struct session *session, const struct event_data *data)
{
	struct call *call;

	add_stop(session, data);
	call = pop_call(session);
	if (call != NULL)
		fail_call(session, call, ERROR_CANCELLED,
		    "the session was stopped by rr_replay_stop",
		    "rr_replay_start opens the trace again", false);
	session_end(session, "the session was stopped by rr_replay_stop");
}

/* A row of the matrix. The compiler rejects a row that lacks the action for an event. */
#define ROW(call, launched, launch_failed, answer, deadline, cancel, interrupt, lost, stop)        \
	{                                                                                          \
		[EVENT_CALL] = call, [EVENT_LAUNCHED] = launched,                                  \
		[EVENT_LAUNCH_FAILED] = launch_failed, [EVENT_ANSWER] = answer,                    \
		[EVENT_DEADLINE] = deadline, [EVENT_CANCEL] = cancel,                              \
		[EVENT_INTERRUPT] = interrupt, [EVENT_LOST] = lost, [EVENT_STOP] = stop,           \
	}

/* clang-format off */
static action *const actions[SESSION_STATE_COUNT][SESSION_EVENT_COUNT] = {
	/*			CALL	    LAUNCHED	LAUNCH_FAILED  ANSWER	    DEADLINE	    CANCEL	    INTERRUPT	     LOST	STOP */
	[SESSION_LAUNCHING] =	ROW(do_nothing, await_start, launch_failed, do_nothing,  start_too_late, cancel_start,   interrupt_start, lose,	abandon),
	[SESSION_STARTING] =	ROW(do_nothing, do_nothing, do_nothing,   open_trace,  start_too_late, cancel_start,   interrupt_start, lose,	abandon),
	[SESSION_OPENING] =	ROW(do_nothing, do_nothing, do_nothing,   opened,	    start_too_late, cancel_start,   interrupt_start, lose,	abandon),
	[SESSION_READY] =	ROW(run_call,   do_nothing, do_nothing,   do_nothing,  let_idle_go,    forget_waiting, do_nothing,	     lose,	stop_idle),
	[SESSION_RUNNING] =	ROW(do_nothing, do_nothing, do_nothing,   finish_call, interrupt_late, cancel_running, interrupt_asked, lose,	abandon),
	[SESSION_INTERRUPTING] = ROW(do_nothing, do_nothing, do_nothing,  finish_call, kill_late,	    cancel_running, do_nothing,	     lose,	abandon),
	[SESSION_STOPPING] =	ROW(do_nothing, do_nothing, do_nothing,   do_nothing,  gone,	    forget_waiting, do_nothing,	     gone,	add_stop),
	[SESSION_DEAD] =	ROW(revive,     do_nothing, do_nothing,   do_nothing,  do_nothing,	    forget_waiting, do_nothing,	     do_nothing, abandon),
};
/* clang-format on */

_Static_assert(SESSION_STATE_COUNT == 8 && SESSION_EVENT_COUNT == 9,
    "a new state needs a row, a new event a column");

void session_deliver(
    struct session *session, enum session_event event, const struct event_data *data)
{
	actions[session->state][event](session, data);
}
