/*
 * The table of sessions: slots, queues, choosing, deadlines, and the check of what a worker sends.
 * What a session does on an event is in session_events.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/session_slot.h"
#include "supervisor/worker_spec.h"

#define PROGRESS_INTERVAL (DEADLINE_SECOND / 10)

static const char *const state_names[SESSION_STATE_COUNT] = {
#define X(name, text) text,
    SESSION_STATES(X)
#undef X
};

struct session_table *session_table_new(const struct session_ports *ports)
{
	struct session_table *table = calloc(1, sizeof(*table));

	if (table != NULL)
		table->ports = *ports;
	return table;
}

void session_release(struct session *session)
{
	struct session_table *table = session->table;

	/* Nobody knows of a session that did not open, so the next one can have its name. */
	if (!session->opened && session->number != 0 && session->number == table->last_number)
		table->last_number--;
	if (session->connection != NULL)
		table->ports.drop(session->connection);
	worker_spec_free(session->spec);
	json_decref(session->open_args);
	json_decref(session->worker_state);
	json_decref(session->sandbox);
	json_decref(session->begun);
	json_decref(session->last_output);
	memset(session, 0, sizeof(*session));
}

static struct session *free_slot(struct session_table *table)
{
	for (size_t i = 0; i < SESSION_SLOTS; i++)
		if (table->sessions[i].table == NULL)
			return &table->sessions[i];
	return NULL;
}

struct session *session_open(
    struct session_table *table, enum worker_kind kind, json_t *open_args, struct call *first)
{
	struct session *session = free_slot(table);
	bool replays = kind == WORKER_REPLAY, core = json_object_get(open_args, "core") != NULL;
	uint32_t opening = !replays ? first->operation
			   : core   ? WIRE_OP_CORE_OPEN
				    : WIRE_OP_REPLAY_START;
	struct worker_spec *spec =
	    session == NULL ? NULL
			    : worker_spec_new(kind, opening, replays ? open_args : first->args);

	if (spec == NULL) {
		json_decref(open_args);
		return NULL;
	}
	*session = (struct session){.table = table,
	    .kind = kind,
	    .spec = spec,
	    .open_args = open_args,
	    .opening = opening,
	    .state = SESSION_DEAD,
	    .deadline = DEADLINE_NEVER,
	    .created = table->ports.now()};
	if (replays) {
		session->number = ++table->last_number;
		snprintf(session->id, sizeof(session->id), "s%u", session->number);
	}
	session_add_call(session, first);
	return session;
}

bool session_add_call(struct session *session, struct call *call)
{
	struct call **end = &session->calls;
	size_t count = 0;

	for (; *end != NULL; end = &(*end)->next)
		count++;
	if (count >= SESSION_CALLS_MAX)
		return false;
	call->next = NULL;
	call->session = session;
	*end = call;
	call->made = session->last_used = session->table->ports.now();
	/* A recording, or a session that fails to open, does not become the session used last. */
	if (session->kind == WORKER_REPLAY && session->opened)
		session->table->last_used = session;
	session_deliver(session, EVENT_CALL, &(struct event_data){.call = call});
	return true;
}

void session_stop(struct session *session, struct call *call)
{
	session_deliver(session, EVENT_STOP, &(struct event_data){.call = call});
}

void session_interrupt(struct session *session)
{
	session_deliver(session, EVENT_INTERRUPT, &(struct event_data){0});
}

void session_cancel(struct call *call)
{
	session_deliver(call->session, EVENT_CANCEL, &(struct event_data){.call = call});
}

void session_launched(struct session *session, const char *trace)
{
	if (session->kind == WORKER_REPLAY && trace[0] != 0)
		worker_spec_set_trace(session->spec, trace);
	session_deliver(session, EVENT_LAUNCHED, &(struct event_data){0});
}

void session_launch_failed(struct session *session, const struct failure *failure)
{
	session_deliver(session, EVENT_LAUNCH_FAILED, &(struct event_data){.failure = failure});
}

void session_lost(struct session *session, const struct failure *failure, bool not_taken)
{
	session_deliver(
	    session, EVENT_LOST, &(struct event_data){.failure = failure, .not_taken = not_taken});
}

void session_answer(struct session *session, struct call *call, struct outcome *outcome)
{
	const struct session_ports *ports = &session->table->ports;

	ports->answer(ports->client, session, call, outcome);
}

/* An error answer of the worker: the rest of its fields go to the client as details. */
void session_read_failure(struct failure *failure, const struct channel_packet *packet)
{
	const char *code = json_string_value(json_object_get(packet->json, "code"));
	const char *message = json_string_value(json_object_get(packet->json, "message"));

	failure_set(failure, failure_code(code),
	    json_string_value(json_object_get(packet->json, "hint")), "%s",
	    message != NULL ? message : "the worker gave no reason");
	failure->details = json_copy(packet->json);
	json_object_del(failure->details, "code");
	json_object_del(failure->details, "message");
	json_object_del(failure->details, "hint");
}

static void reject(struct session *session, const char *why)
{
	struct failure failure = {0};

	failure_set(&failure, ERROR_WORKER_DIED, NULL, "%s", why);
	session_lost(session, &failure, false);
}

static void keep_state(struct session *session, json_t *state)
{
	const json_t *trace = json_object_get(state, "trace_dir");

	/* A core file has one moment. */
	if (session->kind != WORKER_REPLAY ||
	    (session->opening != WIRE_OP_CORE_OPEN &&
		!json_is_object(json_object_get(state, "moment"))) ||
	    json_dumpb(state, NULL, 0, JSON_COMPACT) > WIRE_STATE_MAX) {
		reject(session, "the worker sent an invalid session state");
		return;
	}
	if (trace != NULL && !worker_spec_has_trace(session->spec, json_string_value(trace))) {
		reject(session, "the worker said that it replays another trace than its session's, "
				"and was ended");
		return;
	}
	json_decref(session->worker_state);
	session->worker_state = json_incref(state);
}

json_t *session_request(const struct call *call)
{
	json_t *request = json_pack("{s:O}", "args", call->args);

	if (call->wants_page)
		json_object_set_new(request, "page", json_true());
	return request;
}

static void keep_page(struct session *session, const json_t *json)
{
	struct call *call = session->calls;

	if (call == NULL || !call->wants_page ||
	    !page_add(&call->page, json_object_get(json, "text")))
		reject(session, "the worker sent an invalid page");
}

static void pass_progress(struct session *session, const json_t *json)
{
	const struct session_ports *ports = &session->table->ports;
	const json_t *total = json_object_get(json, "total");
	int64_t now = ports->now();

	if (session->begun != NULL) {
		json_decref(session->last_output);
		session->last_output = json_incref((json_t *)json);
	}
	if (session->calls == NULL || session->calls->request == NULL ||
	    now - session->last_progress < PROGRESS_INTERVAL)
		return;
	session->last_progress = now;
	ports->progress(ports->client, session->calls,
	    json_number_value(json_object_get(json, "progress")),
	    json_is_number(total) ? json_number_value(total) : -1,
	    json_string_value(json_object_get(json, "message")));
}

void session_packet(struct session *session, const struct channel_packet *packet)
{
	if (session_answer_aside(session, packet))
		return;
	if (session->outstanding_id == 0 || packet->id != session->outstanding_id) {
		reject(session, "the worker answered a request that was not sent to it");
	} else if (packet->type == WIRE_STATE) {
		keep_state(session, packet->json);
	} else if (packet->type == WIRE_PAGE) {
		keep_page(session, packet->json);
	} else if (packet->type == WIRE_BEGUN && session_begun(session, packet)) {
		return;
	} else if (packet->type == WIRE_PROGRESS) {
		session_give_time(session);
		pass_progress(session, packet->json);
	} else if (packet->type != session->outstanding_type) {
		reject(session, "the worker sent a message out of turn");
	} else {
		session->outstanding_id = 0;
		session_deliver(session, EVENT_ANSWER, &(struct event_data){.packet = packet});
	}
}

int64_t session_nearest_deadline(void *table)
{
	int64_t nearest = DEADLINE_NEVER;
	struct session *session = NULL;

	while ((session = session_next(table, session)) != NULL) {
		int64_t aside = session_aside_deadline(session);
		if (session->deadline < nearest)
			nearest = session->deadline;
		if (aside < nearest)
			nearest = aside;
	}
	return nearest;
}

void session_expire(void *table, int64_t now)
{
	struct session *session = NULL;

	while ((session = session_next(table, session)) != NULL) {
		session_expire_asides(session, now);
		if (session->deadline > now)
			continue;
		session->deadline = DEADLINE_NEVER;
		session_deliver(session, EVENT_DEADLINE, &(struct event_data){0});
	}
}

struct session *session_next(struct session_table *table, struct session *after)
{
	size_t i = after == NULL ? 0 : (size_t)(after - table->sessions) + 1;

	for (; i < SESSION_SLOTS; i++)
		if (table->sessions[i].table != NULL)
			return &table->sessions[i];
	return NULL;
}

struct session *session_next_open(struct session_table *table, struct session *after)
{
	struct session *session = session_next(table, after);

	while (session != NULL && (session->kind != WORKER_REPLAY || session->closing))
		session = session_next(table, session);
	return session;
}

unsigned session_count(struct session_table *table, enum worker_kind kind)
{
	struct session *session = NULL;
	unsigned count = 0;

	while ((session = session_next(table, session)) != NULL)
		count += session->kind == kind;
	return count;
}

unsigned session_count_jobs(struct session_table *table)
{
	struct session *session = NULL;
	unsigned count = 0;

	while ((session = session_next(table, session)) != NULL)
		count += session->kind != WORKER_REPLAY && !session->closing;
	return count;
}

struct session *session_choose(struct session_table *table, const char *id, enum error_code *code)
{
	struct session *session = NULL, *only = NULL, *last = NULL;
	unsigned count = 0;

	*code = ERROR_NO_SESSION;
	while ((session = session_next_open(table, session)) != NULL) {
		if (id != NULL && strcmp(id, session->id) == 0)
			return session;
		if (!session->opened)
			continue;
		count++;
		only = session;
		if (session == table->last_used)
			last = session;
	}
	if (id != NULL || count == 0)
		return NULL;
	*code = ERROR_AMBIGUOUS_SESSION;
	return count == 1 ? only : last;
}

struct session *session_find_opened(struct session_table *table, const json_t *open_args)
{
	struct session *session = NULL;

	while ((session = session_next_open(table, session)) != NULL)
		if (session->opened && json_equal(session->open_args, open_args))
			return session;
	return NULL;
}

bool session_close_idle(struct session_table *table, char *name, size_t size)
{
	struct session *session = NULL, *oldest = NULL;

	while ((session = session_next_open(table, session)) != NULL)
		if (session->opened && session->calls == NULL && session->stops == NULL &&
		    (oldest == NULL || session->last_used < oldest->last_used))
			oldest = session;
	if (oldest == NULL)
		return false;
	strlcpy(name, oldest->id, size);
	session_end(oldest, "the session was closed to make room for another one");
	return true;
}

const char *session_name(const struct session *session)
{
	return session->kind == WORKER_REPLAY ? session->id : NULL;
}

const char *session_hint_to_open(const struct session *session, const struct failure *failure)
{
	enum error_code code = failure->code;

	if (strncmp(failure->message, "symbols ", strlen("symbols ")) == 0)
		return "symbols takes what objcopy --only-keep-debug made of the recorded build, "
		       "or that build before strip";
	if (session->opening != WIRE_OP_CORE_OPEN)
		return "rr_list_recordings shows the traces";
	return code == ERROR_NOT_FOUND ? "coredumpctl list, or /proc/sys/kernel/core_pattern, "
					 "tells where core files are; "
					 "rr_core_open without program says which program it was"
				       : "name a core file as the kernel, systemd-coredump or "
					 "gcore writes it; program is "
					 "its program's file, sysroot a directory";
}

bool session_has_opened(const struct session *session)
{
	return session->opened;
}

const char *session_trace(const struct session *session)
{
	const json_t *known = json_object_get(
	    session->begun != NULL ? session->begun : session->worker_state, "trace_dir");

	return json_string_value(
	    known != NULL ? known : json_object_get(session->open_args, "trace_dir"));
}

const json_t *session_sandbox(const struct session *session)
{
	return session->sandbox;
}

const struct call *session_running(const struct session *session)
{
	bool coming_back = session->opened && session->state <= SESSION_OPENING;

	return session->state == SESSION_RUNNING || coming_back ? session->calls : NULL;
}

long long session_call_seconds(const struct call *call)
{
	return (call->session->table->ports.now() - call->made) / DEADLINE_SECOND;
}

const struct call *session_next_running(struct session_table *table, struct session **at)
{
	while ((*at = session_next(table, *at)) != NULL) {
		const struct call *call = session_running(*at);
		if (call == NULL && !(*at)->opened && (*at)->state <= SESSION_OPENING)
			call = (*at)->calls; /* its worker is only starting */
		if (call != NULL)
			return call;
	}
	return NULL;
}

const char *session_state_name(const struct session *session)
{
	return state_names[session->state];
}

/* As answers name it: "event:ticks@pc.sum", in hexadecimal behind the "@". */
static void set_moment(json_t *json, const json_t *moment)
{
	const char *ticks = json_string_value(json_object_get(moment, "ticks"));
	const char *pc = json_string_value(json_object_get(moment, "pc"));
	unsigned sum = (unsigned)json_integer_value(json_object_get(moment, "sum"));
	char exact[48] = "";

	if (moment == NULL)
		return;
	if (pc != NULL && strncmp(pc, "0x", 2) == 0 && strcmp(pc, "0x0") != 0) {
		snprintf(exact, sizeof(exact), "@%.16s", pc + 2);
		if (sum != 0)
			snprintf(exact + strlen(exact), 12, ".%x", sum);
	}
	json_object_set_new(json, "moment",
	    json_sprintf("%lld:%s%s",
		(long long)json_integer_value(json_object_get(moment, "event")),
		ticks == NULL ? "0" : ticks, exact));
}

json_t *session_describe(const struct session *session, bool whole)
{
	static const char *const kept[] = {"trace_dir", "core", "pid"};
	int64_t now = session->table->ports.now();
	json_t *json = json_pack("{s:s, s:s, s:I, s:I}", "session", session->id, "state",
	    session_state_name(session), "age_seconds",
	    (json_int_t)((now - session->created) / DEADLINE_SECOND), "idle_seconds",
	    (json_int_t)((now - session->last_used) / DEADLINE_SECOND));

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		json_t *value = json_object_get(session->worker_state, kept[i]);
		if (value == NULL)
			value = json_object_get(session->open_args, kept[i]);
		if (value != NULL)
			json_object_set(json, kept[i], value);
	}
	set_moment(json, json_object_get(session->worker_state, "moment"));
	if (whole && session->worker_state != NULL)
		json_object_update_missing(json, session->worker_state);
	return json;
}
