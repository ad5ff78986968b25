/*
 * What a session does on an event, by its state: the matrix at the end of this file. Each action
 * leaves the session in a state it can stay in, or frees it.
 */
#include "supervisor/session_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void action(
    struct session_table *table, struct session *session, const struct event_data *data);

static int64_t now_of(struct session_table *table)
{
	return table->ports.now(table->ports.owner);
}

static void enter(struct session *session, enum session_state state, int64_t deadline)
{
	session->state = state;
	session->deadline = deadline;
}

static int64_t class_deadline(struct session_table *table, enum deadline_class class)
{
	return deadline_after(now_of(table), deadline_seconds(table->ports.policy, class, NULL));
}

static struct call *pop_call(struct session *session)
{
	struct call *call = session->calls;

	if (call != NULL)
		session->calls = call->next;
	return call;
}

static void answer_call(struct session_table *table, struct session *session, struct call *call,
    struct outcome *outcome)
{
	if (outcome->result != NULL || outcome->alive) {
		json_t *fields = outcome->result;
		if (fields == NULL)
			fields = outcome->extra = outcome->extra ? outcome->extra : json_object();
		if (session->restored)
			json_object_set_new(fields, "restored", json_true());
		session->restored = false;
	}
	table->ports.answer(table->ports.owner, session, call, outcome);
}

static void fail_call(struct session_table *table, struct session *session, struct call *call,
    const char *code, const char *message, const char *hint, bool alive)
{
	struct outcome outcome = {.code = code, .message = message, .hint = hint, .alive = alive};

	answer_call(table, session, call, &outcome);
}

static void fail_rest(struct session_table *table, struct session *session, const char *message)
{
	struct call *call;

	while ((call = pop_call(session)) != NULL)
		fail_call(table, session, call, "no_session", message,
		    "rr_replay_start opens a session again", false);
}

/* The session is over: whoever waits for anything is told. */
static void end_session(struct session_table *table, struct session *session, const char *message)
{
	struct call *call;

	session->closing = true;
	table->ports.drop(table->ports.owner, session);
	fail_rest(table, session, message);
	while ((call = session->stops) != NULL) {
		struct outcome outcome = {
		    .result = json_pack("{s:s, s:b}", "session", session->id, "stopped", 1)};
		session->stops = call->next;
		table->ports.answer(table->ports.owner, session, call, &outcome);
	}
	session_release(table, session);
}

static void lose(
    struct session_table *table, struct session *session, const struct event_data *data);

/* Sends what is outstanding from now on; a worker that does not take it is lost. */
static enum channel_result send_operation(
    struct session_table *table, struct session *session, uint32_t operation, json_t *json)
{
	uint32_t id = ++session->last_wire_id;
	enum channel_result sent;

	if (id == 0)
		id = ++session->last_wire_id;
	session->outstanding_id = id;
	session->outstanding_type = operation + 1;
	sent = json == NULL ? CHANNEL_TOO_LONG
			    : table->ports.send(table->ports.owner, session, operation, id, json);
	json_decref(json);
	session->unsent = sent == CHANNEL_CLOSED;
	if (sent == CHANNEL_AGAIN || sent == CHANNEL_REJECTED)
		lose(table, session,
		    &(struct event_data){
			.code = "worker_died", .why = "the worker does not read what it is sent"});
	return sent;
}

/* Asks for a worker, for a session that has calls and none. */
static void begin(struct session_table *table, struct session *session)
{
	session->outstanding_id = 0;
	enter(session, SESSION_LAUNCHING, class_deadline(table, DEADLINE_STARTUP));
	if (table->ports.launch(table->ports.owner, session) < 0)
		session_deliver(table, session, EVENT_LAUNCH_FAILED,
		    &(struct event_data){.code = "internal",
			.why = "the process that starts workers is gone; restart the server"});
}

/* Gives the first call to a worker that has none. */
static void pump(struct session_table *table, struct session *session)
{
	while (session->used && session->state == SESSION_READY && session->calls != NULL) {
		struct call *call = session->calls;

		enter(session, SESSION_RUNNING, deadline_after(now_of(table), call->seconds));
		if (send_operation(table, session, call->operation,
			json_pack("{s:O}", "args", call->args)) != CHANNEL_TOO_LONG)
			return;
		session->outstanding_id = 0;
		session->state = SESSION_READY;
		fail_call(table, session, pop_call(session), "invalid_argument",
		    "the arguments are longer than 64 KB", "pass less text", true);
	}
}

static void become_ready(struct session_table *table, struct session *session)
{
	long long idle = policy_number(table->ports.policy, SETTING_IDLE);

	session->last_used = now_of(table);
	enter(session, SESSION_READY, deadline_after(session->last_used, idle));
	pump(table, session);
}

static void do_nothing(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	(void)table;
	(void)session;
	(void)data;
}

/* EVENT_CALL in a session that can take it. */
static void take_call(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	(void)data;
	pump(table, session);
}

static void revive(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	(void)data;
	begin(table, session);
}

static void greet(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	(void)data;
	session->state = SESSION_GREETING;
	send_operation(
	    table, session, WIRE_OP_START, table->ports.start_message(table->ports.owner, session));
}

/* The worker could not be brought up, or not to where the session stood. */
static void fail_opening(struct session_table *table, struct session *session, const char *code,
    const char *message, const char *hint, json_t *extra)
{
	struct outcome outcome = {.code = code, .message = message, .hint = hint, .extra = extra};
	struct call *call = pop_call(session);
	bool give_up = !session->opened || ++session->restore_failures >= SESSION_RESTORE_MAX;
	char text[2 * SESSION_WHY_MAX];

	table->ports.drop(table->ports.owner, session);
	outcome.alive = !give_up;
	if (session->opened) {
		snprintf(text, sizeof(text), "the session could not be brought back%s: %.*s",
		    give_up ? " twice, and is given up" : "", SESSION_WHY_MAX, message);
		outcome.message = text;
		outcome.hint = give_up ? "rr_replay_start opens the trace again" : hint;
	}
	if (give_up)
		session->closing = true;
	if (call != NULL)
		answer_call(table, session, call, &outcome);
	else
		json_decref(extra);
	if (give_up) {
		end_session(table, session,
		    session->opened ? "the session could not be brought back"
				    : "the session could not be opened");
		return;
	}
	enter(session, SESSION_DEAD, DEADLINE_NEVER);
	if (session->calls != NULL)
		begin(table, session);
}

static void launch_failed(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	fail_opening(table, session, data->code, data->why, "rr_status tells more", NULL);
}

/* An error answer of the worker, taken apart: the rest of its fields go to the client. */
struct wire_error {
	char code[24], message[1100], hint[520];
	json_t *extra;
};

static bool is_known_code(const char *code)
{
#define X(name, text)                                                                              \
	if (strcmp(code, text) == 0)                                                               \
		return true;
	ERROR_CODES(X)
#undef X
	return false;
}

static void read_error(struct wire_error *error, const struct channel_packet *packet)
{
	const char *code = json_string_value(json_object_get(packet->json, "code"));
	const char *message = json_string_value(json_object_get(packet->json, "message"));
	const char *hint = json_string_value(json_object_get(packet->json, "hint"));

	snprintf(error->code, sizeof(error->code), "%s",
	    code != NULL && is_known_code(code) ? code : "internal");
	snprintf(error->message, sizeof(error->message), "%s",
	    message != NULL ? message : "the worker gave no reason");
	snprintf(error->hint, sizeof(error->hint), "%s", hint != NULL ? hint : "");
	error->extra = json_copy(packet->json);
	json_object_del(error->extra, "code");
	json_object_del(error->extra, "message");
	json_object_del(error->extra, "hint");
}

static void fail_opening_by_answer(
    struct session_table *table, struct session *session, const struct channel_packet *packet)
{
	struct wire_error error = {0};

	read_error(&error, packet);
	fail_opening(table, session, error.code, error.message, error.hint, error.extra);
}

static void open_trace(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	json_t *request;

	if (data->packet->flags & WIRE_FLAG_ERROR) {
		fail_opening_by_answer(table, session, data->packet);
		return;
	}
	json_decref(session->sandbox);
	session->sandbox = json_incref(json_object_get(data->packet->json, "sandbox"));
	if (session->kind != WORKER_REPLAY) {
		become_ready(table, session);
		return;
	}
	request = json_pack("{s:O}", "args", session->open_args);
	if (session->opened && session->worker_state != NULL)
		json_object_set(request, "restore", session->worker_state);
	enter(session, SESSION_OPENING, class_deadline(table, DEADLINE_OPEN));
	if (send_operation(table, session, WIRE_OP_REPLAY_START, request) == CHANNEL_TOO_LONG)
		fail_opening(table, session, "invalid_argument",
		    "the arguments are longer than 64 KB", "pass less text", NULL);
}

static void opened(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	struct call *call = session->calls;

	if (data->packet->flags & WIRE_FLAG_ERROR) {
		fail_opening_by_answer(table, session, data->packet);
		return;
	}
	session->restored = session->opened;
	session->opened = true;
	table->last_used = session;
	session->restore_failures = 0;
	if (call != NULL && call->operation == WIRE_OP_REPLAY_START) {
		struct outcome outcome = {.result = json_incref(data->packet->json)};
		if (json_object_get(outcome.result, "sandbox") == NULL && session->sandbox != NULL)
			json_object_set(outcome.result, "sandbox", session->sandbox);
		answer_call(table, session, pop_call(session), &outcome);
	}
	become_ready(table, session);
}

static void stop_worker(struct session_table *table, struct session *session)
{
	json_t *nothing = json_object();

	session->outstanding_id = 0;
	enter(
	    session, SESSION_STOPPING, now_of(table) + DEADLINE_STOP_MS * (DEADLINE_SECOND / 1000));
	table->ports.send(table->ports.owner, session, WIRE_STOP, 0, nothing);
	json_decref(nothing);
}

static void finish_call(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	struct call *call = pop_call(session);

	if (data->packet->flags & WIRE_FLAG_ERROR) {
		struct wire_error error = {0};
		struct outcome outcome = {.alive = session->kind == WORKER_REPLAY};
		read_error(&error, data->packet);
		outcome.code = error.code;
		outcome.message = error.message;
		outcome.hint = error.hint;
		outcome.extra = error.extra;
		answer_call(table, session, call, &outcome);
	} else {
		struct outcome outcome = {.result = json_incref(data->packet->json)};
		answer_call(table, session, call, &outcome);
	}
	if (session->kind == WORKER_REPLAY) {
		become_ready(table, session);
		return;
	}
	session->closing = true;
	stop_worker(table, session);
}

/* A worker that died idle has not seen the call that was on its way meanwhile. */
static bool can_run_again(const struct session *session, const struct event_data *data)
{
	return session->kind == WORKER_REPLAY && session->state == SESSION_RUNNING &&
	       session->calls && (data->not_taken || session->unsent) && !session->calls->again;
}

static void lose(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	struct call *call;

	session->outstanding_id = 0;
	if (can_run_again(session, data)) {
		session->calls->again = true;
		table->ports.drop(table->ports.owner, session);
		begin(table, session);
		return;
	}
	if (session->state <= SESSION_OPENING) {
		fail_opening(table, session, data->code, data->why,
		    session->opened ? "the next call tries once more"
				    : "try again; rr_status tells more",
		    NULL);
		return;
	}
	table->ports.drop(table->ports.owner, session);
	call = session->state == SESSION_READY ? NULL : pop_call(session);
	if (call != NULL)
		fail_call(table, session, call, data->code, data->why,
		    session->kind == WORKER_REPLAY
			? "the session comes back where it last stopped with the next call on it"
			: "try again",
		    session->kind == WORKER_REPLAY);
	if (session->kind != WORKER_REPLAY) {
		end_session(table, session, data->why);
		return;
	}
	enter(session, SESSION_DEAD, DEADLINE_NEVER);
	if (session->calls != NULL)
		begin(table, session);
}

/* A stopping worker's end, or its kill. */
static void gone(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	(void)data;
	table->ports.drop(table->ports.owner, session);
	if (session->closing) {
		end_session(table, session, "the session was stopped");
		return;
	}
	enter(session, SESSION_DEAD, DEADLINE_NEVER);
	if (session->calls != NULL)
		begin(table, session);
}

static void start_too_late(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	struct event_data late = {.code = "timeout",
	    .why = session->state == SESSION_OPENING ? "rr and gdb did not come up in time"
						     : "the worker did not come up in time"};

	(void)data;
	lose(table, session, &late);
}

static void interrupt(struct session_table *table, struct session *session, const char *reason)
{
	json_t *json = json_pack("{s:s}", "reason", reason);
	int64_t grace =
	    session->kind == WORKER_RECORD ? DEADLINE_RECORD_GRACE_MS : DEADLINE_GRACE_MS;

	session->interrupt_reason = reason;
	enter(session, SESSION_INTERRUPTING, now_of(table) + grace * (DEADLINE_SECOND / 1000));
	table->ports.send(table->ports.owner, session, WIRE_INTERRUPT, 0, json);
	json_decref(json);
}

static void interrupt_late(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	(void)data;
	interrupt(table, session, "timeout");
}

static void interrupt_asked(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	(void)data;
	interrupt(table, session, "asked");
}

static void kill_late(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	bool asked = strcmp(session->interrupt_reason, "timeout") != 0;
	char why[SESSION_WHY_MAX];

	(void)data;
	if (asked)
		snprintf(why, sizeof(why),
		    "the command did not stop when asked to; its processes were ended");
	else
		snprintf(why, sizeof(why),
		    "the command did not end within its %lld s, nor stop when asked to; its "
		    "processes "
		    "were ended",
		    session->calls == NULL ? 0 : session->calls->seconds);
	lose(table, session,
	    &(struct event_data){.code = asked ? "cancelled" : "timeout", .why = why});
}

static void let_idle_go(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	(void)data;
	stop_worker(table, session);
}

/* rr_interrupt while a session is brought back: the call that waits for it is not to run. */
static void interrupt_start(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	(void)data;
	if (session->opened && session->calls != NULL)
		fail_call(table, session, pop_call(session), "cancelled",
		    "the command was interrupted before it began: the session was still being "
		    "brought back",
		    NULL, true);
}

/* Takes a call that does not run out of the queue: its client has lost interest. */
static void forget_waiting(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	struct call **at = &session->calls;
	struct outcome nothing = {0};

	data->call->request = NULL;
	while (*at != NULL && *at != data->call)
		at = &(*at)->next;
	if (*at == NULL)
		return; /* an rr_replay_stop: the stop goes on */
	*at = data->call->next;
	table->ports.answer(table->ports.owner, session, data->call, &nothing);
}

static void cancel_start(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	bool first = session->calls == data->call;

	forget_waiting(table, session, data);
	if (first && !session->opened)
		end_session(table, session, "the call that opened the session was cancelled");
}

static void cancel_running(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	if (session->calls != data->call) {
		forget_waiting(table, session, data);
		return;
	}
	data->call->request = NULL;
	if (session->state == SESSION_RUNNING)
		interrupt(table, session, "cancelled");
}

static void add_stop(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	(void)table;
	data->call->next = session->stops;
	data->call->session = session;
	session->stops = data->call;
	session->closing = true;
}

static void stop_idle(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	add_stop(table, session, data);
	stop_worker(table, session);
}

/* rr_replay_stop while something runs: what runs is lost, and is told so. */
static void abandon(
    struct session_table *table, struct session *session, const struct event_data *data)
{
	struct call *call;

	add_stop(table, session, data);
	call = pop_call(session);
	if (call != NULL)
		fail_call(table, session, call, "cancelled",
		    "the session was stopped by rr_replay_stop",
		    "rr_replay_start opens the trace again", false);
	end_session(table, session, "the session was stopped by rr_replay_stop");
}

/* clang-format off */
static action *const actions[SESSION_STATE_COUNT][SESSION_EVENT_COUNT] = {
	/*			CALL	    LAUNCHED	LAUNCH_FAILED  ANSWER	    DEADLINE	    CANCEL	    INTERRUPT	     LOST	STOP */
	[SESSION_LAUNCHING] =	{do_nothing, greet,	launch_failed, do_nothing,  start_too_late, cancel_start,   interrupt_start, lose,	abandon},
	[SESSION_GREETING] =	{do_nothing, do_nothing, do_nothing,   open_trace,  start_too_late, cancel_start,   interrupt_start, lose,	abandon},
	[SESSION_OPENING] =	{do_nothing, do_nothing, do_nothing,   opened,	    start_too_late, cancel_start,   interrupt_start, lose,	abandon},
	[SESSION_READY] =	{take_call,  do_nothing, do_nothing,   do_nothing,  let_idle_go,    forget_waiting, do_nothing,	     lose,	stop_idle},
	[SESSION_RUNNING] =	{do_nothing, do_nothing, do_nothing,   finish_call, interrupt_late, cancel_running, interrupt_asked, lose,	abandon},
	[SESSION_INTERRUPTING] = {do_nothing, do_nothing, do_nothing,  finish_call, kill_late,	    cancel_running, do_nothing,	     lose,	abandon},
	[SESSION_STOPPING] =	{do_nothing, do_nothing, do_nothing,   do_nothing,  gone,	    forget_waiting, do_nothing,	     gone,	add_stop},
	[SESSION_DEAD] =	{revive,     do_nothing, do_nothing,   do_nothing,  do_nothing,	    forget_waiting, do_nothing,	     do_nothing, abandon},
};
/* clang-format on */

void session_deliver(struct session_table *table, struct session *session, enum session_event event,
    const struct event_data *data)
{
	actions[session->state][event](table, session, data);
}

bool session_has_action(enum session_state state, enum session_event event)
{
	return actions[state][event] != NULL;
}
