#ifndef TESTS_UNIT_SUPERVISOR_FAKE_WORKERS_H
#define TESTS_UNIT_SUPERVISOR_FAKE_WORKERS_H
/*
 * The workers' half of struct session_ports, without workers: notes what the supervisor sends to
 * them, and answers what the test tells it to.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/session.h"
#include "supervisor/worker_spec.h"

struct connection {
	struct session *session; /* NULL: free */
};

static struct {
	struct connection slots[SESSION_SLOTS];
	struct session *last; /* the last one that asked for a worker or sent to one */
	int launches, drops;
	bool launcher_gone;
	enum channel_result sending;
	uint32_t last_type, last_id;
	json_t *last_json;
	char last_trace[PATH_MAX]; /* that the last worker was asked for with; "": the newest */
	void (*note)(const char *what, const char *more); /* of interrupts and stops; or NULL */
} workers;

/* Frees a table with everything that it still holds. */
static inline void end_table(struct session_table *table)
{
	const struct failure failure = {.code = ERROR_CANCELLED, .message = "the test is over"};

	session_end_all(table, &failure, false);
	free(table);
}

static inline struct connection *workers_launch(
    void *owner, const struct worker_spec *spec, struct session *session)
{
	static struct launch_request request;
	struct connection *connection = workers.slots;

	(void)owner;
	ck_assert_ptr_nonnull(spec);
	worker_spec_request(spec, 1, &request);
	strlcpy(workers.last_trace, request.names, sizeof(workers.last_trace));
	workers.launches++;
	if (workers.launcher_gone)
		return NULL;
	while (connection->session != NULL)
		connection++;
	connection->session = workers.last = session;
	/* The launcher sends this one. */
	workers.last_type = WIRE_OP_START;
	workers.last_id = WIRE_START_ID;
	return connection;
}

static inline enum channel_result workers_send(
    struct connection *connection, uint32_t type, uint32_t id, const json_t *json)
{
	if (workers.sending != CHANNEL_OK)
		return workers.sending;
	workers.last = connection->session;
	workers.last_type = type;
	if (id != 0)
		workers.last_id = id;
	json_decref(workers.last_json);
	workers.last_json = json_deep_copy(json);
	if (type == WIRE_INTERRUPT && workers.note != NULL)
		workers.note("interrupt", json_string_value(json_object_get(json, "reason")));
	else if (type == WIRE_STOP && workers.note != NULL)
		workers.note("stop", NULL);
	return CHANNEL_OK;
}

static inline void workers_drop(struct connection *connection)
{
	ck_assert_ptr_nonnull(connection->session);
	connection->session = NULL;
	workers.drops++;
}

/* A packet from this session's worker; type 0 answers the last packet to it. */
static inline void packet(struct session *session, uint32_t type, uint32_t flags, const char *text)
{
	struct channel_packet got = {.type = type ? type : workers.last_type + 1,
	    .id = workers.last_id,
	    .flags = flags,
	    .json = json_loads(text, 0, NULL)};

	ck_assert_ptr_nonnull(got.json);
	session_packet(session, &got);
	json_decref(got.json);
}

static inline void workers_reset(void)
{
	memset(&workers, 0, sizeof(workers));
}

static inline void workers_clear(void)
{
	json_decref(workers.last_json);
}

#endif
