#ifndef TESTS_UNIT_SUPERVISOR_WORLD_H
#define TESTS_UNIT_SUPERVISOR_WORLD_H
/*
 * A world around a table of sessions that only takes notes: for the suites that play one.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/session.h"

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

static inline void note(const char *what, const char *more)
{
	size_t used = strlen(world.notes);
	snprintf(world.notes + used, sizeof(world.notes) - used, "%s%s%s%s", used ? " " : "", what,
	    more ? ":" : "", more ? more : "");
}

static inline int launch(void *owner, struct session *session)
{
	(void)owner;
	world.launches++;
	session->tag = (uint32_t)world.launches;
	return world.launcher_gone ? -1 : 0;
}

static inline enum channel_result send_packet(
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

static inline void drop(void *owner, struct session *session)
{
	(void)owner;
	session->tag = 0;
	world.drops++;
}

static inline void answer(
    void *owner, struct session *session, struct call *call, struct outcome *outcome)
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

static inline void progress(
    void *owner, struct call *call, double value, double total, const char *message)
{
	(void)owner;
	(void)value;
	(void)total;
	(void)message;
	note("progress", call->request);
}

static inline json_t *start_message(void *owner, struct session *session)
{
	(void)owner;
	(void)session;
	return json_object();
}

static inline int64_t now(void *owner)
{
	(void)owner;
	return world.now;
}

static inline void set_up(void)
{
	struct session_ports ports = {
	    launch, send_packet, drop, answer, progress, start_message, now, NULL, NULL};

	memset(&world, 0, sizeof(world));
	world.now = 1000 * DEADLINE_SECOND;
	world.policy = policy_new();
	ports.policy = world.policy;
	world.table = session_table_new(&ports);
}

static inline void tear_down(void)
{
	session_table_free(world.table);
	policy_free(world.policy);
	json_decref(world.last_json);
}

static inline struct call *make_call(const char *name, uint32_t operation, long long seconds)
{
	struct call *call = calloc(1, sizeof(*call));

	call->request = (void *)name;
	call->operation = operation;
	call->seconds = seconds;
	call->args = json_object();
	return call;
}

static inline struct session *open_session(const char *name)
{
	return session_open(
	    world.table, WORKER_REPLAY, json_object(), make_call(name, WIRE_OP_REPLAY_START, 90));
}

static inline void deliver(struct session *session, enum session_event event)
{
	session_deliver(world.table, session, event,
	    &(struct event_data){.code = "worker_died", .why = "gone"});
}

/* The worker's packet; type 0 answers what was sent last. */
static inline void packet(struct session *session, uint32_t type, uint32_t flags, const char *text)
{
	struct channel_packet got = {.type = type ? type : world.last_type + 1,
	    .id = world.last_id,
	    .flags = flags,
	    .json = json_loads(text, 0, NULL)};

	ck_assert_ptr_nonnull(got.json);
	session_packet(world.table, session, &got);
	json_decref(got.json);
}

static inline struct session *ready_session(void)
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

static inline void call(struct session *session, const char *name)
{
	ck_assert(session_call(world.table, session, make_call(name, WIRE_OP_CONTINUE, 10)));
}

static inline void bring_back(struct session *session)
{
	deliver(session, EVENT_LAUNCHED);
	packet(session, 0, 0, "{}");
	packet(session, 0, 0, "{}");
}

static inline void expire(struct session *session)
{
	world.now = session->deadline;
	session_expire(world.table, world.now);
}

#endif
