/*
 * The trace's counts say which write it was. Before that is believed, the bytes that are about to
 * be written there are compared with those that the read took: if they differ, no write is named.
 */
#include "worker/investigate/values/origin_pipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include "worker/run/recorded_call.h"
#include "worker/moment/position.h"
#include "worker/moment/visit.h"
#include "worker/read/values/accessed.h"
#include "worker/trace/dump/pipes.h"

#define ASKED_MAX    8	  /* calls of pipe and socketpair whose descriptors are read */
#define COMPARED_MAX 4096 /* bytes of a read and a write */
#define PIECES_MAX   64	  /* of a writev that are looked through */

bool origin_go_to_call(
    struct origin *origin, const struct input_call *call, struct failure *failure)
{
	const struct moment at = recorded_call_moment(call);
	long long pid = kernel_writes_process(origin->writes, call->tid);

	if (!call->pc) {
		failure_set(
		    failure, ERROR_UNSUPPORTED, NULL, "where %s began is not known", call->name);
		return false;
	}
	return visit_process(origin->replay, pid, call->entered, failure) &&
	       position_go(origin->replay, &at, failure);
}

bool origin_read_pair(struct replay *replay, const struct input_call *call, int pair[2])
{
	const struct moment at = recorded_call_moment(call);
	cleanup_failure struct failure ignored = {0};

	return call->pc && position_go(replay, &at, &ignored) &&
	       recorded_call_pass(replay, &ignored) && recorded_call_pair(replay, call, pair);
}

struct crossing {
	const struct input_call *read;
	unsigned long long byte; /* of the read */
	struct pipes_found found;
	struct pipe_given given[ASKED_MAX];
	size_t given_count;
	uint8_t taken[COMPARED_MAX]; /* by the read, from `byte` on */
	size_t taken_count;
	json_t *hop; /* the step at the read */
	char *why;
	size_t size;
};

/* Whether the failure only means that the way goes no further. */
static bool is_survived(
    const struct origin *origin, struct crossing *crossing, struct failure *failure)
{
	if (!worker_goes_on(replay_worker(origin->replay)))
		return false;
	snprintf(crossing->why, crossing->size, "%s", failure->message);
	failure_forget(failure);
	return true;
}

static enum origin_piped end_here(
    const struct origin *origin, struct crossing *crossing, struct failure *failure)
{
	return is_survived(origin, crossing, failure) ? ORIGIN_NOT_PIPED : ORIGIN_PIPE_FAILED;
}

static bool learn_pair(struct origin *origin, struct crossing *crossing, struct failure *failure)
{
	const struct input_call *call = &origin->writes->inputs.calls[crossing->found.begun];
	struct pipe_given *given = &crossing->given[crossing->given_count];

	if (crossing->given_count == ASKED_MAX) {
		failure_set(failure, ERROR_UNSUPPORTED, NULL,
		    "which of many pipes the descriptor belongs to is not known");
		return false;
	}
	given->call = crossing->found.begun;
	if (!origin_go_to_call(origin, call, failure) ||
	    !recorded_call_pass(origin->replay, failure))
		return false;
	if (!recorded_call_pair(origin->replay, call, given->fds)) {
		failure_set(failure, ERROR_UNSUPPORTED, NULL,
		    "the descriptors that %s gave cannot be read", call->name);
		return false;
	}
	crossing->given_count++;
	return true;
}

static enum pipes_end find(const struct origin *origin, struct crossing *crossing)
{
	return pipes_find(&origin->writes->inputs, crossing->given, crossing->given_count,
	    crossing->read, crossing->byte, &crossing->found);
}

/* At the read, where the program is near: prepares its step, and reads the bytes that it took, from
 * the first that is followed on. */
static bool look_at_read(struct origin *origin, struct crossing *crossing, struct failure *failure)
{
	const struct input_call *read = crossing->read;
	unsigned long long count = (unsigned long long)read->result - crossing->byte;

	if (!origin_go_to_call(origin, read, failure))
		return false;
	crossing->hop = origin_hop(origin);
	if (!recorded_call_pass(origin->replay, failure))
		return false;
	crossing->taken_count = accessed_bytes(origin->replay, read->args[1] + crossing->byte,
	    crossing->taken, count < COMPARED_MAX ? count : COMPARED_MAX);
	return true;
}

/* Where the byte lies that the write is about to write, and how many follow it there; 0: not known.
 */
static unsigned long long find_source(
    struct replay *replay, const struct crossing *crossing, unsigned long long *left)
{
	const struct input_call *write = crossing->found.write;
	unsigned long long byte = crossing->found.byte;
	struct iovec pieces[PIECES_MAX];
	size_t count = write->args[2] < PIECES_MAX ? write->args[2] : PIECES_MAX;

	*left = (unsigned long long)write->result - byte;
	if (strcmp(write->name, "writev") != 0)
		return write->args[1] + byte;
	if (!accessed_whole(replay, write->args[1], (uint8_t *)pieces, count * sizeof(*pieces)))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (byte < pieces[i].iov_len) {
			if (*left > pieces[i].iov_len - byte)
				*left = pieces[i].iov_len - byte;
			return (unsigned long long)(uintptr_t)pieces[i].iov_base + byte;
		}
		byte -= pieces[i].iov_len;
	}
	return 0;
}

static bool is_same(struct replay *replay, const struct crossing *crossing,
    unsigned long long source, unsigned long long left)
{
	uint8_t bytes[COMPARED_MAX];
	size_t count = left < crossing->taken_count ? left : crossing->taken_count;

	return count && accessed_bytes(replay, source, bytes, count) == count &&
	       memcmp(bytes, crossing->taken, count) == 0;
}

void origin_cross(struct origin *origin)
{
	origin->step_count = 0;
	origin->has_allocator = false;
}

/* The program stands at the write. */
static void take_source(struct origin *origin, const struct crossing *crossing,
    unsigned long long source, unsigned long long left)
{
	const struct input_call *write = crossing->found.write;
	struct origin_bytes *now = &origin->now;

	origin_narrow(now, now->address, now->address + left);
	now->address = source;
	origin_cross(origin);
	origin_add_hop(origin, origin_hop(origin),
	    "written by %s to descriptor %d in process %lld: byte %llu of its %lld, at 0x%llx",
	    write->name, (int)write->args[0], replay_pid(origin->replay), crossing->found.byte,
	    write->result, source);
}

static void note_read(struct origin *origin, struct crossing *crossing)
{
	const struct input_call *read = crossing->read;

	origin_add_hop(origin, json_incref(crossing->hop),
	    "taken by %s from descriptor %d, a %s: byte %lld of all that went through it",
	    read->name, (int)read->args[0], crossing->found.socket ? "socketpair" : "pipe",
	    crossing->found.offset);
}

static enum origin_piped go_to_write(
    struct origin *origin, struct crossing *crossing, struct failure *failure)
{
	const struct input_call *write = crossing->found.write;
	unsigned long long source, left;

	if (!origin_go_to_call(origin, write, failure))
		return end_here(origin, crossing, failure);
	source = find_source(origin->replay, crossing, &left);
	if (source && is_same(origin->replay, crossing, source, left)) {
		note_read(origin, crossing);
		take_source(origin, crossing, source, left);
		return ORIGIN_PIPED;
	}
	snprintf(crossing->why, crossing->size,
	    "by the counts of bytes it was %s by thread %d at event %lld, but the bytes there are "
	    "others: not all calls that use the pipe are known",
	    write->name, write->tid, write->entered);
	return ORIGIN_NOT_PIPED;
}

static enum origin_piped cross(
    struct origin *origin, struct crossing *crossing, struct failure *failure)
{
	enum pipes_end end = find(origin, crossing);

	if ((end == PIPES_FOUND || end == PIPES_ASK) && !look_at_read(origin, crossing, failure))
		return end_here(origin, crossing, failure);
	for (; end == PIPES_ASK; end = find(origin, crossing))
		if (!learn_pair(origin, crossing, failure))
			return end_here(origin, crossing, failure);
	if (end != PIPES_FOUND) {
		snprintf(crossing->why, crossing->size, "%s", crossing->found.why);
		return ORIGIN_NOT_PIPED;
	}
	return go_to_write(origin, crossing, failure);
}

enum origin_piped origin_from_pipe(struct origin *origin, const struct input_call *call,
    unsigned long long byte, char *why, size_t size, struct failure *failure)
{
	struct replay *replay = origin->replay;
	struct crossing *crossing = calloc(1, sizeof(*crossing));
	long long pid = replay_pid(replay);
	enum origin_piped end;

	why[0] = '\0';
	if (!crossing)
		return ORIGIN_NOT_PIPED;
	crossing->read = call;
	crossing->byte = byte;
	crossing->why = why;
	crossing->size = size;
	end = cross(origin, crossing, failure);
	json_decref(crossing->hop);
	free(crossing);
	if (end == ORIGIN_NOT_PIPED && !visit_process(replay, pid, call->entered, failure))
		return ORIGIN_PIPE_FAILED;
	return end;
}
