/*
 * The table of sessions: slots, queues, choosing, deadlines, and the check of what a worker sends.
 * What happens on an event stands in session_events.c.
 */
#include "supervisor/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/session_events.h"

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

static void clear_calls(struct call *call)
{
	while (call != NULL) {
		struct call *next = call->next;
		json_decref(call->args);
		free(call);
		call = next;
	}
}

void session_table_free(struct session_table *table)
{
	struct session *session = NULL;

	if (table == NULL)
		return;
	while ((session = session_next(table, session)) != NULL) {
		clear_calls(session->calls);
		clear_calls(session->stops);
		session_release(table, session);
	}
	free(table);
}

/* Frees the slot; its queues are empty, or no longer anybody's. */
void session_release(struct session_table *table, struct session *session)
{
	/* Nobody has heard of a session that did not open: the next one may have its name. */
	if (!session->opened && session->number != 0 && session->number == table->last_number)
		table->last_number--;
	json_decref(session->open_args);
	json_decref(session->worker_state);
	json_decref(session->sandbox);
	json_decref(session->launch_report);
	json_decref(session->visible);
	memset(session, 0, sizeof(*session));
}

static struct session *free_slot(struct session_table *table)
{
	for (size_t i = 0; i < SESSION_SLOTS; i++)
		if (!table->sessions[i].used)
			return &table->sessions[i];
	return NULL;
}

struct session *session_open(
    struct session_table *table, enum worker_kind kind, json_t *open_args, struct call *first)
{
	struct session *session = free_slot(table);

	if (session == NULL) {
		json_decref(open_args);
		return NULL;
	}
	session->used = true;
	session->kind = kind;
	session->open_args = open_args;
	session->state = SESSION_DEAD;
	session->deadline = DEADLINE_NEVER;
	session->created = table->ports.now(table->ports.owner);
	if (kind == WORKER_REPLAY) {
		session->number = ++table->last_number;
		snprintf(session->id, sizeof(session->id), "s%u", session->number);
	}
	session_call(table, session, first);
	return session;
}

bool session_call(struct session_table *table, struct session *session, struct call *call)
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
	session->last_used = table->ports.now(table->ports.owner);
	/* A recording, or a trace that may not open, takes the client's thread from nobody. */
	if (session->kind == WORKER_REPLAY && session->opened)
		table->last_used = session;
	session_deliver(table, session, EVENT_CALL, &(struct event_data){.call = call});
	return true;
}

static void reject(struct session_table *table, struct session *session, const char *why)
{
	session_deliver(
	    table, session, EVENT_LOST, &(struct event_data){.code = "worker_died", .why = why});
}

static void take_state(struct session_table *table, struct session *session, json_t *state)
{
	if (session->kind != WORKER_REPLAY || !json_is_object(json_object_get(state, "moment")) ||
	    json_dumpb(state, NULL, 0, JSON_COMPACT) > WIRE_STATE_MAX) {
		reject(table, session, "the worker sent a state that is none");
		return;
	}
	json_decref(session->worker_state);
	session->worker_state = json_incref(state);
}

#define PROGRESS_INTERVAL (DEADLINE_SECOND / 10)

static void take_progress(struct session_table *table, struct session *session, const json_t *json)
{
	const struct session_ports *ports = &table->ports;
	const json_t *total = json_object_get(json, "total");
	int64_t now = ports->now(ports->owner);

	if (session->calls == NULL || session->calls->request == NULL ||
	    now - session->last_progress < PROGRESS_INTERVAL)
		return;
	session->last_progress = now;
	ports->progress(ports->owner, session->calls,
	    json_number_value(json_object_get(json, "progress")),
	    json_is_number(total) ? json_number_value(total) : -1,
	    json_string_value(json_object_get(json, "message")));
}

void session_packet(
    struct session_table *table, struct session *session, const struct channel_packet *packet)
{
	if (session->outstanding_id == 0 || packet->id != session->outstanding_id) {
		reject(table, session, "the worker answered what nobody asked");
	} else if (packet->type == WIRE_STATE) {
		take_state(table, session, packet->json);
	} else if (packet->type == WIRE_PROGRESS) {
		take_progress(table, session, packet->json);
	} else if (packet->type != session->outstanding_type) {
		reject(table, session, "the worker sent a message that was not its turn");
	} else {
		session->outstanding_id = 0;
		session_deliver(
		    table, session, EVENT_ANSWER, &(struct event_data){.packet = packet});
	}
}

int64_t session_nearest_deadline(struct session_table *table)
{
	int64_t nearest = DEADLINE_NEVER;
	struct session *session = NULL;

	while ((session = session_next(table, session)) != NULL)
		if (session->deadline < nearest)
			nearest = session->deadline;
	return nearest;
}

void session_expire(struct session_table *table, int64_t now)
{
	for (size_t i = 0; i < SESSION_SLOTS; i++) {
		struct session *session = &table->sessions[i];
		if (!session->used || session->deadline > now)
			continue;
		session->deadline = DEADLINE_NEVER;
		session_deliver(table, session, EVENT_DEADLINE, &(struct event_data){0});
	}
}

struct session *session_next(struct session_table *table, struct session *after)
{
	size_t i = after == NULL ? 0 : (size_t)(after - table->sessions) + 1;

	for (; i < SESSION_SLOTS; i++)
		if (table->sessions[i].used)
			return &table->sessions[i];
	return NULL;
}

struct session *session_by_tag(struct session_table *table, uint32_t tag)
{
	struct session *session = NULL;

	while (tag != 0 && (session = session_next(table, session)) != NULL)
		if (session->tag == tag)
			return session;
	return NULL;
}

unsigned session_count(struct session_table *table, enum worker_kind kind)
{
	struct session *session = NULL;
	unsigned count = 0;

	while ((session = session_next(table, session)) != NULL)
		count += session->kind == kind;
	return count;
}

const char *session_trace(const struct session *session)
{
	const json_t *known = json_object_get(session->worker_state, "trace_dir");

	return json_string_value(
	    known != NULL ? known : json_object_get(session->open_args, "trace_dir"));
}

struct session *session_choose(struct session_table *table, const char *id, const char **code)
{
	struct session *session = NULL, *only = NULL, *last = NULL;
	unsigned count = 0;

	*code = "no_session";
	while ((session = session_next(table, session)) != NULL) {
		if (session->kind != WORKER_REPLAY || session->closing)
			continue;
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
	*code = "ambiguous_session";
	return count == 1 ? only : last;
}

const char *session_state_name(const struct session *session)
{
	return state_names[session->state];
}

bool session_is_running(const struct session *session)
{
	return session->calls != NULL &&
	       (session->state == SESSION_RUNNING ||
		   (session->opened && session->state <= SESSION_OPENING));
}
