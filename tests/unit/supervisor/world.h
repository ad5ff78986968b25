#ifndef TESTS_UNIT_SUPERVISOR_WORLD_H
#define TESTS_UNIT_SUPERVISOR_WORLD_H
/*
 * A world around a table of sessions that only takes notes, for the suites that need one.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/deadlines.h"
#include "tests/runner.h"
#include "tests/unit/supervisor/fake_workers.h"

#define NOTES_MAX 4096

struct world {
	char notes[NOTES_MAX];
	struct session_table *table;
	struct settings *settings;
	int64_t now;
	char hint[FAILURE_HINT_MAX]; /* of the last error */
	char page[64];		     /* of the last call that was answered, as far as it fits */
};

static struct world world;

static const struct failure gone = {.code = ERROR_WORKER_DIED, .message = "gone"};

static inline void note(const char *what, const char *more)
{
	size_t used = strlen(world.notes);
	snprintf(world.notes + used, sizeof(world.notes) - used, "%s%s%s%s", used ? " " : "", what,
	    more ? ":" : "", more ? more : "");
}

static inline void answer(
    void *owner, const struct session *session, struct call *call, struct outcome *outcome)
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
		snprintf(text, sizeof(text), "%s,%s,%s", (char *)call->request,
		    failure_name(outcome->failure.code), outcome->alive ? "alive" : "over");
		note("error", text);
		snprintf(world.hint, sizeof(world.hint), "%s", outcome->failure.hint);
	}
	snprintf(world.page, sizeof(world.page), "%.*s", (int)call->page.length,
	    call->page.length ? call->page.text : "");
	json_decref(outcome->result);
	json_decref(outcome->failure.details);
	json_decref(call->args);
	page_free(&call->page);
	free(call);
}

static inline void progress(
    void *owner, const struct call *call, double value, double total, const char *message)
{
	(void)owner;
	(void)value;
	(void)total;
	(void)message;
	note("progress", call->request);
}

static inline int64_t now(void)
{
	return world.now;
}

static inline void set_up(void)
{
	struct session_ports ports = {.launch = workers_launch,
	    .send = workers_send,
	    .drop = workers_drop,
	    .answer = answer,
	    .progress = progress,
	    .now = now};

	memset(&world, 0, sizeof(world));
	workers_reset();
	workers.note = note;
	world.now = 1000 * DEADLINE_SECOND;
	ports.settings = world.settings = settings_new();
	world.table = session_table_new(&ports);
}

static inline void tear_down(void)
{
	end_table(world.table);
	settings_free(world.settings);
	workers_clear();
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

static inline void lose(struct session *session)
{
	session_lost(session, &gone, false);
}

static inline void expect_state(const struct session *session, const char *name)
{
	ck_assert_str_eq(session_state_name(session), name);
}

static inline void bring_back(struct session *session)
{
	session_launched(session, "");
	packet(session, 0, 0, "{}"); /* WIRE_OP_START */
	packet(session, 0, 0, "{}"); /* WIRE_OP_REPLAY_START */
}

static inline struct session *ready_session(void)
{
	struct session *session = open_session("start");

	bring_back(session);
	expect_state(session, "ready");
	ck_assert_str_eq(world.notes, "answer:start");
	world.notes[0] = 0;
	return session;
}

static inline struct call *call(struct session *session, const char *name)
{
	struct call *call = make_call(name, WIRE_OP_CONTINUE, 10);

	ck_assert(session_add_call(session, call));
	return call;
}

static inline void expect_notes(const char *notes)
{
	ck_assert_str_eq(world.notes, notes);
}

/* The worker answers what is outstanding. */
static inline void answered(struct session *session)
{
	packet(session, 0, 0, "{}");
}

/* It comes back and answers the call that waited for that; these are all notes of the scenario. */
static inline void expect_restored(struct session *session, const char *notes)
{
	bring_back(session);
	answered(session);
	expect_notes(notes);
}

/* The nearest deadline passes. */
static inline void expire(void)
{
	world.now = session_nearest_deadline(world.table);
	session_expire(world.table, world.now);
}

/* These notes, and no session is left. */
static inline void expect_gone(const char *notes)
{
	expect_notes(notes);
	ck_assert_uint_eq(session_count(world.table, WORKER_REPLAY), 0);
}

#endif
