/*
 * The worker's loop: one packet in, one operation, one answer out; and the waiting in between that
 * lets an interrupt, a stop or the supervisor's death through. Knows no tool.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/channel.h"
#include "worker/ops.h"

#define WAIT_FDS_MAX 16
#define EXIT_CHANNEL 4 /* the supervisor broke the protocol, or is gone */

static const char *const error_names[ERROR_CODE_COUNT] = {
#define X(name, text) [ERROR_##name] = (text),
    ERROR_CODES(X)
#undef X
};

static _Noreturn void worker_exit(struct worker *worker, int status)
{
	if (worker->end)
		worker->end(worker);
	_exit(status);
}

/* An answer must arrive: waits while the channel is full. */
static void send_answer(struct worker *worker, uint32_t type, uint32_t flags, const json_t *json)
{
	for (;;) {
		switch (channel_send(worker->channel, type, worker->running_id, flags, json)) {
		case CHANNEL_OK:
			return;
		case CHANNEL_AGAIN: {
			struct pollfd out = {.fd = worker->channel, .events = POLLOUT};
			if (poll(&out, 1, -1) < 0 && errno != EINTR)
				worker_exit(worker, EXIT_CHANNEL);
			break;
		}
		case CHANNEL_CLOSED:
		case CHANNEL_REJECTED:
		case CHANNEL_TOO_LONG:
			worker_exit(worker, EXIT_CHANNEL);
		}
	}
}

static void fail_too_long(struct op_reply *reply, size_t size)
{
	json_decref(reply->result);
	reply->result = NULL;
	op_fail(reply, ERROR_LIMIT, "ask for less at once",
	    "the result would have been %zu bytes, more than %d", size, WIRE_RESULT_MAX);
}

static json_t *error_object(struct op_reply *reply)
{
	json_t *error = reply->extra ? reply->extra : json_object();

	reply->extra = NULL;
	if (!reply->message[0])
		op_fail(reply, ERROR_INTERNAL, NULL, "the operation gave no result");
	json_object_set_new(error, "code", json_string(error_names[reply->code]));
	json_object_set_new(error, "message", json_string(reply->message));
	json_object_set_new(error, "hint", json_string(reply->hint));
	return error;
}

static void answer(struct worker *worker, uint32_t type, struct op_reply *reply)
{
	json_t *json;
	size_t size = reply->result ? json_dumpb(reply->result, NULL, 0, JSON_COMPACT) : 0;

	if (size > WIRE_RESULT_MAX)
		fail_too_long(reply, size);
	json = reply->result ? reply->result : error_object(reply);
	send_answer(worker, type + 1, reply->result ? 0 : WIRE_FLAG_ERROR, json);
	json_decref(json);
	if (reply->extra)
		json_decref(reply->extra);
}

static bool word_in_list(const char *word, const char *list)
{
	size_t length = strlen(word);
	const char *at = list;

	while (length && (at = strstr(at, word))) {
		bool starts = at == list || at[-1] == ' ';
		if (starts && (at[length] == '\0' || at[length] == ' '))
			return true;
		at += length;
	}
	return false;
}

static bool args_are_known(const struct op *op, json_t *args, struct op_reply *reply)
{
	const char *key;
	json_t *value;

	json_object_foreach(args, key, value)
	{
		if (!word_in_list(key, op->args)) {
			op_fail(reply, ERROR_INVALID_ARGUMENT, NULL, "unknown argument %.64s", key);
			return false;
		}
	}
	return true;
}

static const struct op *find_op(uint32_t type)
{
	for (size_t i = 0; i < worker_op_count; i++)
		if (worker_ops[i].type == type)
			return &worker_ops[i];
	return NULL;
}

static void run_op(struct worker *worker, const struct op *op, json_t *request)
{
	struct op_reply reply = {0};
	json_t *args = json_object_get(request, "args");

	worker->interrupt = INTERRUPT_NONE;
	worker->request = request;
	if (op->type == WIRE_OP_START)
		args = request;
	if (op->kind != WORKER_ANY && op->kind != worker->config.kind)
		op_fail(&reply, ERROR_INTERNAL, NULL, "not an operation of this kind of worker");
	else if (!json_is_object(args))
		op_fail(&reply, ERROR_INVALID_ARGUMENT, NULL, "args must be an object");
	else if (args_are_known(op, args, &reply))
		op->handle(worker, args, &reply);
	answer(worker, op->type, &reply);
	worker->request = NULL;
	worker->running_id = 0;
	worker->interrupt = INTERRUPT_NONE;
	if (worker->broken)
		worker_exit(worker, WORKER_EXIT_LOST);
}

static enum interrupt_reason interrupt_reason(const json_t *json)
{
	const char *text = json_string_value(json_object_get(json, "reason"));

	if (text && strcmp(text, "timeout") == 0)
		return INTERRUPT_TIMEOUT;
	if (text && strcmp(text, "cancelled") == 0)
		return INTERRUPT_CANCELLED;
	return INTERRUPT_ASKED;
}

/* One packet, if there is one; an operation only when none runs. */
static void take_packet(struct worker *worker)
{
	struct channel_packet packet = {0};
	const char *why = NULL;
	enum channel_result got = channel_receive(worker->channel, &packet, &why);
	const struct op *op = NULL;

	if (got == CHANNEL_AGAIN)
		return;
	if (got != CHANNEL_OK)
		worker_exit(worker, got == CHANNEL_CLOSED ? 0 : EXIT_CHANNEL);
	if (packet.type == WIRE_STOP)
		worker_exit(worker, 0);
	if (packet.type == WIRE_INTERRUPT) {
		if (worker->running_id)
			worker->interrupt = interrupt_reason(packet.json);
	} else if (worker->running_id || packet.id == 0 || !(op = find_op(packet.type))) {
		worker_exit(worker, EXIT_CHANNEL);
	} else {
		worker->running_id = packet.id;
		run_op(worker, op, packet.json);
	}
	json_decref(packet.json);
}

int worker_wait(struct worker *worker, struct pollfd *fds, size_t count, int timeout_ms)
{
	struct pollfd all[WAIT_FDS_MAX + 1];
	int ready;

	if (count > WAIT_FDS_MAX) {
		errno = EINVAL;
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		all[i] = fds[i];
	all[count] = (struct pollfd){.fd = worker->channel, .events = POLLIN};
	ready = poll(all, count + 1, timeout_ms);
	for (size_t i = 0; i < count; i++)
		fds[i] = all[i];
	if (ready < 0) {
		for (size_t i = 0; i < count; i++)
			fds[i].revents = 0;
		return 0;
	}
	if (all[count].revents) {
		enum interrupt_reason before = worker->interrupt;
		ready--;
		take_packet(worker);
		if (worker->interrupt != before)
			return 0;
	}
	return ready;
}

int worker_run(struct worker *worker)
{
	for (;;) {
		if (worker->idle)
			worker->idle(worker);
		else
			worker_wait(worker, NULL, 0, -1);
		if (worker->broken)
			worker_exit(worker, WORKER_EXIT_LOST);
	}
}

void worker_progress(struct worker *worker, double progress, double total, const char *message)
{
	json_t *json = json_pack("{s:f}", "progress", progress);

	if (!json)
		return;
	if (total >= 0)
		json_object_set_new(json, "total", json_real(total));
	if (message)
		json_object_set_new(json, "message", json_string(message));
	channel_send(worker->channel, WIRE_PROGRESS, worker->running_id, 0, json);
	json_decref(json);
}

void worker_state(struct worker *worker, json_t *state)
{
	if (!state)
		return;
	if (json_dumpb(state, NULL, 0, JSON_COMPACT) <= WIRE_STATE_MAX)
		send_answer(worker, WIRE_STATE, 0, state);
	json_decref(state);
}
