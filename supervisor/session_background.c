/*
 * Recordings in the background: jobs whose call has been answered when the program ran, and whose
 * end somebody may ask for later. A client's request is still answered exactly once.
 */
#include <stdlib.h>
#include <string.h>

#include "supervisor/session_slot.h"

#define COMMAND_MAX 200
#define ASIDE_MAX   (DEADLINE_ASIDE_MS * (DEADLINE_SECOND / 1000))

struct session *session_next_recording(struct session_table *table, struct session *after)
{
	struct session *session = session_next(table, after);

	while (session != NULL &&
	       (session->begun == NULL || session->calls == NULL || !session->calls->background))
		session = session_next(table, session);
	return session;
}

bool session_begun(struct session *session, const struct channel_packet *packet)
{
	struct call *call = session->calls, *stays;
	struct outcome outcome = {0};

	if (session->kind != WORKER_RECORD || session->begun != NULL || call == NULL ||
	    !json_is_true(json_object_get(call->args, "background")) ||
	    !json_is_string(json_object_get(packet->json, "trace_dir")) ||
	    (stays = malloc(sizeof(*stays))) == NULL)
		return false;
	*stays = *call;
	stays->request = NULL;
	stays->background = true;
	json_incref(stays->args);
	session->calls = stays;
	session->begun = json_incref(packet->json);
	outcome.result = json_deep_copy(packet->json);
	session_answer(session, call, &outcome);
	return true;
}

static void remember(struct session_table *table, json_t *ended)
{
	if (table->ended == NULL)
		table->ended = json_array();
	if (json_array_size(table->ended) >= ENDED_MAX)
		json_array_remove(table->ended, 0);
	json_array_append_new(table->ended, ended);
}

json_t *session_ended_recordings(struct session_table *table)
{
	return table->ended;
}

void session_note_end(
    struct session *session, const struct call *call, const struct outcome *outcome)
{
	const struct failure *failure = &outcome->failure;
	json_t *trace = json_object_get(session->begun, "trace_dir");
	bool is_told = false;
	struct call *stop;

	if (!call->background)
		return;
	while ((stop = session->stops) != NULL) {
		struct outcome same = *outcome;
		same.result = json_deep_copy(outcome->result);
		same.failure.details = json_deep_copy(failure->details);
		session->stops = stop->next;
		is_told |= stop->request != NULL;
		session_answer(session, stop, &same);
	}
	if (is_told)
		return;
	if (outcome->result != NULL)
		remember(session->table, json_pack("{s:O, s:o}", "trace_dir", trace, "result",
					     json_deep_copy(outcome->result)));
	else
		remember(session->table,
		    json_pack("{s:O, s:{s:s, s:s, s:s}, s:o*}", "trace_dir", trace, "failure",
			"code", failure_name(failure->code), "message", failure->message, "hint",
			failure->hint, "details", json_deep_copy(failure->details)));
}

void session_await_end(struct session *session, const char *reason, int64_t grace_ms)
{
	const int64_t ms = DEADLINE_SECOND / 1000;

	session->interrupt_reason = reason;
	session->state = SESSION_INTERRUPTING;
	session->deadline = session->table->ports.now() + grace_ms * ms;
	session->patience = session->deadline + DEADLINE_RECORD_CLOSE_MS * ms;
}

void session_give_time(struct session *session)
{
	int64_t more =
	    session->table->ports.now() + DEADLINE_RECORD_GRACE_MS * (DEADLINE_SECOND / 1000);

	if (session->kind != WORKER_RECORD || session->state != SESSION_INTERRUPTING)
		return;
	if (more > session->patience)
		more = session->patience;
	if (more > session->deadline)
		session->deadline = more;
}

static void interrupt_recording(struct session *session, int signal, int64_t grace_ms)
{
	json_t *json = json_pack("{s:s, s:i}", "reason", "asked", "signal", signal);

	session_await_end(session, "asked", grace_ms);
	if (session->connection != NULL)
		session->table->ports.send(session->connection, WIRE_INTERRUPT, 0, json);
	json_decref(json);
}

void session_end_recording(struct session *session, struct call *call, int signal)
{
	call->session = session;
	call->next = session->stops;
	session->stops = call;
	interrupt_recording(session, signal, DEADLINE_RECORD_STOP_MS);
}

void session_send_aside(struct session *session, struct call *call, uint32_t type, json_t *json)
{
	const struct session_ports *ports = &session->table->ports;
	enum channel_result sent;

	call->session = session;
	call->made = ports->now();
	call->next = session->asides;
	session->asides = call;
	call->aside_id = ++session->last_wire_id;
	sent = session->connection == NULL
		   ? CHANNEL_CLOSED
		   : ports->send(session->connection, type, call->aside_id, json);
	json_decref(json);
	if (sent != CHANNEL_OK)
		session_fail_asides(session, "the recording does not take requests any more");
}

bool session_answer_aside(struct session *session, const struct channel_packet *packet)
{
	struct call **at = &session->asides, *call;
	struct outcome outcome = {0};

	if (packet->type != WIRE_RECORD_INPUT + 1)
		return false;
	while (*at != NULL && (*at)->aside_id != packet->id)
		at = &(*at)->next;
	if (*at == NULL)
		return packet->id != 0 && packet->id <= session->late_aside_id;
	call = *at;
	*at = call->next;
	if (packet->flags & WIRE_FLAG_ERROR)
		session_read_failure(&outcome.failure, packet);
	else
		outcome.result = json_incref(packet->json);
	session_answer(session, call, &outcome);
	return true;
}

int64_t session_aside_deadline(const struct session *session)
{
	const struct call *call = session->asides;

	while (call != NULL && call->next != NULL)
		call = call->next; /* the oldest is the last */
	return call == NULL ? DEADLINE_NEVER : call->made + ASIDE_MAX;
}

void session_expire_asides(struct session *session, int64_t now)
{
	struct call **at = &session->asides, *call;

	while (*at != NULL && (*at)->made + ASIDE_MAX > now)
		at = &(*at)->next;
	if (*at != NULL)
		session->late_aside_id = (*at)->aside_id;
	while ((call = *at) != NULL) {
		struct outcome outcome = {0};
		failure_set(&outcome.failure, ERROR_TIMEOUT, "rr_record_stop ends it",
		    "the recording did not answer for %d s: nobody knows whether its program gets "
		    "the input",
		    DEADLINE_ASIDE_MS / 1000);
		*at = call->next;
		session_answer(session, call, &outcome);
	}
}

void session_fail_asides(struct session *session, const char *message)
{
	struct call *call;

	while ((call = session->asides) != NULL) {
		struct outcome outcome = {0};
		failure_set(&outcome.failure, ERROR_NOT_FOUND,
		    "rr_record_stop answers how it ended", "%s", message);
		session->asides = call->next;
		session_answer(session, call, &outcome);
	}
}

static json_t *command_of(const json_t *command)
{
	char text[COMMAND_MAX] = "";
	json_t *word, *shown;
	size_t i;

	json_array_foreach(command, i, word)
	{
		if (i > 0)
			strlcat(text, " ", sizeof(text));
		strlcat(text, json_string_value(word), sizeof(text));
	}
	/* It can be cut in the middle of a character. */
	while ((shown = json_string(text)) == NULL && text[0] != 0)
		text[strlen(text) - 1] = 0;
	return shown;
}

json_t *session_describe_recording(const struct session *session)
{
	const char *line = json_string_value(json_object_get(session->last_output, "message"));
	json_t *bytes = json_object_get(session->last_output, "trace_bytes");
	json_t *json =
	    json_pack("{s:O, s:o*, s:I}", "trace_dir", json_object_get(session->begun, "trace_dir"),
		"command", command_of(json_object_get(session->calls->args, "command")), "seconds",
		(json_int_t)session_call_seconds(session->calls));

	if (json_is_integer(bytes))
		json_object_set(json, "trace_bytes", bytes);
	if (line != NULL && line[0] != '\0')
		json_object_set_new(json, "last_output", json_string(line));
	return json;
}

unsigned session_end_others(struct session_table *table, const struct failure *failure)
{
	struct session *session = NULL;
	unsigned count = 0;

	while ((session = session_next_recording(table, session)) != NULL) {
		interrupt_recording(session, 0, DEADLINE_RECORD_GRACE_MS);
		count++;
	}
	if (count == 0)
		return 0;
	session_end_all(table, failure, true);
	return count;
}
