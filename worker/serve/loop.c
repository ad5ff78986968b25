/*
 * The worker's loop: one packet in, one operation, one answer out. Waiting in between notices an
 * interrupt, a stop and the supervisor's death. Knows no tool.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/wire/channel.h"
#include "worker/serve/ops.h"
#include "worker/serve/start.h"

#define WAIT_FDS_MAX 16
#define PAGE_PART    8192 /* bytes of one; JSON may write each as six */
#define EXIT_CHANNEL 4	  /* the supervisor broke the protocol, or is gone */

static _Noreturn void worker_exit(struct worker *worker, int status)
{
	if (worker->end)
		worker->end(worker);
	_exit(status);
}

/* An answer must arrive, so this waits while the channel is full. */
static void send_with(
    struct worker *worker, uint32_t type, uint32_t id, uint32_t flags, const json_t *json)
{
	for (;;) {
		switch (channel_send(worker->channel, type, id, flags, json)) {
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

static void send_answer(struct worker *worker, uint32_t type, uint32_t flags, const json_t *json)
{
	send_with(worker, type, worker->running_id, flags, json);
}

static json_t *check_length(json_t *result, struct failure *failure)
{
	size_t size = json_dumpb(result, NULL, 0, JSON_COMPACT);

	if (size <= WIRE_RESULT_MAX)
		return result;
	json_decref(result);
	failure_set(failure, ERROR_LIMIT, "ask for less in one call",
	    "the result has %zu bytes, more than the limit of %d", size, WIRE_RESULT_MAX);
	return NULL;
}

static json_t *error_object(struct failure *failure)
{
	json_t *error = failure->details ? json_incref(failure->details) : json_object();

	if (!failure->message[0])
		failure_set(failure, ERROR_INTERNAL, NULL, "the operation gave no result");
	json_object_set_new(error, "code", json_string(failure_name(failure->code)));
	json_object_set_new(error, "message", json_string(failure->message));
	json_object_set_new(error, "hint", json_string(failure->hint));
	return error;
}

/* True for a failure that gdb's silence could have been taken for. */
static bool may_be_silence(const struct failure *failure)
{
	switch (failure->code) {
	case ERROR_INVALID_ARGUMENT:
	case ERROR_NOT_FOUND:
	case ERROR_UNSUPPORTED:
	case ERROR_INTERNAL:
		return true;
	default:
		return failure->message[0] == '\0';
	}
}

void worker_fail_interrupted(const struct worker *worker, struct failure *failure)
{
	if (worker->interrupt == INTERRUPT_TIMEOUT)
		failure_set(failure, ERROR_TIMEOUT, "ask for less, or give a longer deadline",
		    "the command reached its time limit");
	else
		failure_set(failure, ERROR_CANCELLED, NULL, "the command was interrupted");
}

/* gdb does not survive every interrupt: at some instants its own code takes one for a fatal error.
 * What the caller has to know then is that its time was over. */
static bool died_of_deadline(const struct worker *worker)
{
	return worker->interrupt == INTERRUPT_TIMEOUT && worker->loss.code == ERROR_GDB_FAILED;
}

static void fail_lost(struct worker *worker, struct failure *failure)
{
	const struct failure *loss = &worker->loss;
	struct failure late = {0};
	char hint[FAILURE_HINT_MAX];

	if (!died_of_deadline(worker)) {
		failure_set(failure, loss->code, loss->hint, "%s", loss->message);
		return;
	}
	worker_fail_interrupted(worker, &late);
	snprintf(hint, sizeof(hint), "%.200s; %.200s", late.hint, loss->hint);
	failure_set(
	    failure, late.code, hint, "%s, and was stopped: %s", late.message, loss->message);
}

/* Not every reader of gdb's answers notices that there was none: what was read after rr or gdb was
 * lost is neither a result nor a reason. */
static json_t *check_loss(struct worker *worker, json_t *result, struct failure *failure)
{
	const struct failure *loss = &worker->loss;
	bool late = died_of_deadline(worker) && failure->code == loss->code;

	if (!loss->message[0] || (!result && !late && !may_be_silence(failure)))
		return result;
	json_decref(result);
	fail_lost(worker, failure);
	return NULL;
}

/* Nor does every reader notice an interrupt. */
static json_t *check_interrupt(struct worker *worker, json_t *result, struct failure *failure)
{
	if (!worker->half_read || (!result && !may_be_silence(failure)))
		return result;
	json_decref(result);
	worker_fail_interrupted(worker, failure);
	return NULL;
}

/* Steals the result; without a result, answers with the failure. */
static void answer(struct worker *worker, uint32_t type, json_t *result, struct failure *failure)
{
	json_auto_t *json = check_loss(worker, check_interrupt(worker, result, failure), failure);
	uint32_t flags;

	json = json ? check_length(json, failure) : NULL;
	flags = json ? 0 : WIRE_FLAG_ERROR;
	if (!json)
		json = error_object(failure);
	send_answer(worker, type + 1, flags, json);
	json_decref(failure->details);
}

static json_t *run(
    struct worker *worker, const struct op *op, const json_t *request, struct failure *failure)
{
	if (op->kind == worker->config.kind)
		return op->handle(worker, json_object_get(request, "args"), failure);
	failure_set(failure, ERROR_INTERNAL, NULL, "not an operation of this kind of worker");
	return NULL;
}

/* op is NULL for WIRE_OP_START. */
static void run_op(struct worker *worker, const struct op *op, json_t *request)
{
	struct failure failure = {0};
	json_t *result;

	worker->interrupt = INTERRUPT_NONE;
	worker->half_read = false;
	worker->request = request;
	result = op ? run(worker, op, request, &failure) : op_start(worker, request, &failure);
	answer(worker, op ? op->type : WIRE_OP_START, result, &failure);
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

/* Beside the operation that runs, or after it: its answer may be on its way. */
static void answer_input(struct worker *worker, const struct channel_packet *packet)
{
	cleanup_failure struct failure failure = {0};
	json_auto_t *json = NULL;

	if (worker->take_input)
		json = worker->take_input(worker->input_owner, packet->json, &failure);
	else
		failure_set(&failure, ERROR_NOT_FOUND, "rr_record_stop answers how it ended",
		    "the recording has ended");
	if (json) {
		send_with(worker, packet->type + 1, packet->id, 0, json);
	} else {
		json = error_object(&failure);
		send_with(worker, packet->type + 1, packet->id, WIRE_FLAG_ERROR, json);
	}
}

/* One packet, if there is one; an operation only when none runs. */
static void receive_packet(struct worker *worker)
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
		worker->interrupt_signal =
		    (int)json_integer_value(json_object_get(packet.json, "signal"));
		if (worker->running_id)
			worker->interrupt = interrupt_reason(packet.json);
	} else if (packet.type == WIRE_RECORD_INPUT && packet.id != 0 &&
		   worker->config.kind == WORKER_RECORD) {
		answer_input(worker, &packet);
	} else if (worker->running_id || packet.id == 0 ||
		   (!(op = op_find(packet.type)) && packet.type != WIRE_OP_START)) {
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
		receive_packet(worker);
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
	json_auto_t *json = json_pack("{s:f}", "progress", progress);

	if (!json)
		return;
	if (total >= 0)
		json_object_set_new(json, "total", json_real(total));
	if (message)
		json_object_set_new(json, "message", json_string(message));
	channel_send(worker->channel, WIRE_PROGRESS, worker->running_id, 0, json);
}

void worker_begun(struct worker *worker, const json_t *json)
{
	send_answer(worker, WIRE_BEGUN, 0, json);
}

void worker_page(struct worker *worker, const char *text)
{
	if (!json_is_true(json_object_get(worker->request, "page")))
		return;
	for (size_t length; *text; text += length) {
		length = strnlen(text, PAGE_PART);
		while (text[length] && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--; /* no character is cut */
		json_auto_t *json = json_pack("{s:s%}", "text", text, length);
		if (!json)
			return;
		send_answer(worker, WIRE_PAGE, 0, json);
	}
}

void worker_recorded(
    struct worker *worker, double seconds, uint64_t trace_bytes, const char *last_line)
{
	json_auto_t *json = json_pack("{s:f, s:I, s:s}", "progress", seconds, "trace_bytes",
	    (json_int_t)trace_bytes, "message", last_line);

	channel_send(worker->channel, WIRE_PROGRESS, worker->running_id, 0, json);
}

const char *worker_lost_hint(const struct worker *worker)
{
	return worker->restorable ? "the next call on the session restores it"
				  : "open it again; rr_status shows what may be wrong";
}

void worker_state(struct worker *worker, json_t *state)
{
	if (!state)
		return;
	if (json_dumpb(state, NULL, 0, JSON_COMPACT) <= WIRE_STATE_MAX)
		send_answer(worker, WIRE_STATE, 0, state);
	json_decref(state);
}
