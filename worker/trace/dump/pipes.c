/*
 * Passes through the calls of all tasks in the order in which they began and ended: once to find
 * the pipe, and once more to count what went into it and came out of it. Where two calls were under
 * way at the same time, which of them came first is not recorded.
 */
#include "worker/trace/dump/pipes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "worker/trace/dump/grow.h"
#include "worker/trace/dump/steps.h"

#define NO_STREAM SIZE_MAX
#define FOREVER	  INT64_MAX

/* Bytes that one call put into the stream, or took out of it. */
struct span {
	const struct input_call *call;
	long long entered, ended; /* ended FOREVER: it is not known how many bytes */
	long long begin, length;
	size_t group; /* the first span that may be in another order with this one */
};

struct side {
	struct span *list;
	size_t count;
	long long total; /* of those */
	long long all;	 /* and of those that began behind the read that is asked about */
};

enum { READS, WRITES, SIDES };

struct counting {
	struct descriptors descriptors;
	struct step *steps;
	size_t step_count;
	const struct input_call *read; /* that is asked about */
	struct slot slot;	       /* its descriptor */
	size_t stream;		       /* see stream_of; NO_STREAM: not known yet */
	long unverified;
	struct side sides[SIDES];
	const struct input_call *drained; /* see check_drained; NULL: none */
	bool seen, out_of_memory;
};

/* ---- What calls do to a stream ------------------------------------------------------------- */

struct use_row {
	const char *name;
	int side, flags; /* flags: the argument with those of a socket's call; -1: none */
};

static const struct use_row *use_of(const struct input_call *call)
{
	static const struct use_row uses[] = {{"read", READS, -1}, {"readv", READS, -1},
	    {"recvfrom", READS, 3}, {"recvmsg", READS, 2}, {"write", WRITES, -1},
	    {"writev", WRITES, -1}, {"sendto", WRITES, 3}, {"sendmsg", WRITES, 2}};

	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (strcmp(call->name, uses[i].name) == 0)
			return &uses[i];
	return NULL;
}

/* Each pipe has two streams, by the end that bytes are written to; the one of a pipe's read end is
 * never used. */
static size_t stream_of(const struct slot *slot, int side)
{
	unsigned writer = side == WRITES ? slot->end : 1u - slot->end;

	return slot->kind == SLOT_END ? 2 * (size_t)slot->pipe + writer : NO_STREAM;
}

static unsigned long long flags_of(const struct use_row *use, const struct input_call *call)
{
	return use->flags < 0 ? 0 : call->args[use->flags];
}

static bool flags_are_known(const struct use_row *use, const struct input_call *call)
{
	return !(flags_of(use, call) &
		 ~(unsigned long long)(MSG_PEEK | MSG_WAITALL | MSG_DONTWAIT | MSG_NOSIGNAL |
				       MSG_CMSG_CLOEXEC | MSG_MORE));
}

static bool may_overlap(const struct span *before, const struct span *span)
{
	return before->ended > span->entered && before->call->tid != span->call->tid;
}

static void add_span(struct counting *counting, int side, const struct input_call *call,
    long long ended, long long length)
{
	struct side *to = &counting->sides[side];
	struct span *list = grow_list(to->list, to->count, sizeof(*list)), *span;
	size_t first = to->count;

	if (!list) {
		counting->out_of_memory = true;
		return;
	}
	to->list = list;
	to->all += length;
	if (call->entered >= counting->read->event)
		return; /* it does not change what the read took */
	span = &list[to->count];
	*span = (struct span){call, call->entered, ended, to->total, length, to->count};
	for (size_t i = to->count; i > 0 && list[i - 1].ended > span->entered; i--)
		if (may_overlap(&list[i - 1], span))
			first = list[i - 1].group;
	for (size_t i = first; i <= to->count; i++)
		list[i].group = first;
	to->count++;
	to->total += length;
}

/* At the end of a pipe, whoever reads has taken all that was written. If not, somebody reads or
 * writes who is not counted, and that may have been so all the time. */
static void check_drained(struct counting *counting, const struct input_call *call)
{
	if (counting->sides[READS].all != counting->sides[WRITES].all && !counting->drained)
		counting->drained = call;
}

static void count_use(
    struct counting *counting, const struct task *task, const struct input_call *call, bool began)
{
	const struct use_row *use = use_of(call);
	struct descriptors *descriptors = &counting->descriptors;
	unsigned pipe = task->slot.pipe;

	if (!use || stream_of(&task->slot, use->side) != counting->stream)
		return;
	if (!began)
		descriptors_doubt(descriptors, pipe, call, "whose beginning is not known");
	else if (call->result == -EFAULT)
		descriptors_doubt(descriptors, pipe, call, "which failed within the bytes");
	else if (!flags_are_known(use, call))
		descriptors_doubt(descriptors, pipe, call, "with flags that change what it takes");
	else if (call->result == 0 && use->side == READS && call->args[2] && !task->slot.socket)
		check_drained(counting, call);
	else if (call->result > 0 && !(use->side == READS && (flags_of(use, call) & MSG_PEEK)))
		add_span(counting, use->side, call, call->event, call->result);
}

/* A call that was under way when its task ended may have moved bytes. */
static void count_unended(
    struct counting *counting, const struct task *task, const struct input_call *call)
{
	const struct use_row *use = use_of(call);

	if (use && stream_of(&task->slot, use->side) == counting->stream)
		add_span(counting, use->side, call, FOREVER, 0);
}

/* ---- The passes ---------------------------------------------------------------------------- */

static void begin_call(struct counting *counting, const struct input_call *call)
{
	const struct task *task = descriptors_begin(&counting->descriptors, call);

	if (task && call == counting->read) {
		counting->slot = task->slot;
		counting->unverified = descriptors_unverified(task);
		counting->seen = true;
	}
	if (task && task->slot.kind == SLOT_END && strcmp(call->name, "setsockopt") == 0 &&
	    call->args[1] == SOL_SOCKET && call->args[2] == SO_PEEK_OFF)
		descriptors_doubt(&counting->descriptors, task->slot.pipe, call,
		    "which changes where looking without taking begins");
	if (task && !call->event && counting->stream != NO_STREAM)
		count_unended(counting, task, call);
}

static void end_call(struct counting *counting, const struct input_call *call)
{
	bool began;
	const struct task *task = descriptors_end(&counting->descriptors, call, &began);

	if (task && counting->stream != NO_STREAM)
		count_use(counting, task, call, began);
}

/* Without a stream: until the read begins. With one: to the end of what can have been before it. */
static bool pass(struct counting *counting)
{
	for (size_t i = 0; i < counting->step_count && !counting->descriptors.out_of_memory; i++) {
		const struct step *step = &counting->steps[i];

		if (counting->stream == NO_STREAM && counting->seen)
			break;
		if (step->kind == STEP_TASKS)
			descriptors_task(&counting->descriptors, step->what);
		else if (step->kind == STEP_BEGINS)
			begin_call(counting, step->what);
		else
			end_call(counting, step->what);
	}
	return !counting->descriptors.out_of_memory && !counting->out_of_memory;
}

static void restart(struct counting *counting)
{
	struct descriptors *descriptors = &counting->descriptors;
	struct descriptors fresh = {.inputs = descriptors->inputs,
	    .given = descriptors->given,
	    .given_count = descriptors->given_count};

	descriptors_free(descriptors);
	*descriptors = fresh;
}

/* ---- The answer ---------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static enum pipes_end cannot(
    struct pipes_found *found, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(found->why, sizeof(found->why), format, arguments);
	va_end(arguments);
	return PIPES_CANNOT;
}

static enum pipes_end ask(const struct counting *counting, size_t pipe, struct pipes_found *found)
{
	const struct descriptors *descriptors = &counting->descriptors;

	if (pipe >= descriptors->pipe_count)
		return PIPES_NO_PIPE;
	found->begun = (size_t)(descriptors->pipes[pipe].call - descriptors->inputs->calls);
	return PIPES_ASK;
}

static bool is_alone(const struct side *side, const struct span *span)
{
	size_t number = (size_t)(span - side->list);

	return span->group == number &&
	       (number + 1 == side->count || side->list[number + 1].group != number);
}

/* Another one that was under way at the same time. */
static const struct span *rival(const struct side *side, const struct span *span)
{
	return &side->list[span->group == (size_t)(span - side->list) ? span->group + 1
								      : span->group];
}

static enum pipes_end cannot_order(
    struct pipes_found *found, const struct side *side, const struct span *span)
{
	const struct input_call *a = span->call, *b = rival(side, span)->call;

	return cannot(found,
	    "%s by thread %d at event %lld and %s by thread %d at event %lld were under way at the "
	    "same time, and which of them came first is not recorded",
	    a->name, a->tid, a->entered, b->name, b->tid, b->entered);
}

static const struct span *span_of_call(const struct side *side, const struct input_call *call)
{
	for (size_t i = 0; i < side->count; i++)
		if (side->list[i].call == call)
			return &side->list[i];
	return NULL;
}

static const struct span *span_of_byte(const struct side *side, long long offset)
{
	for (size_t i = 0; i < side->count; i++)
		if (offset >= side->list[i].begin &&
		    offset - side->list[i].begin < side->list[i].length)
			return &side->list[i];
	return NULL;
}

static enum pipes_end find_write(
    struct counting *counting, long long offset, struct pipes_found *found)
{
	const struct side *writes = &counting->sides[WRITES];
	const struct span *span = span_of_byte(writes, offset);

	found->offset = offset;
	if (!span && writes->count && writes->list[writes->count - 1].ended == FOREVER)
		return cannot(found,
		    "%s by thread %d at event %lld did not return, so how many bytes it wrote is "
		    "not "
		    "recorded",
		    writes->list[writes->count - 1].call->name,
		    writes->list[writes->count - 1].call->tid,
		    writes->list[writes->count - 1].call->entered);
	if (!span)
		return cannot(found,
		    "more was read from it than the recording's processes had written into it: "
		    "somebody else writes too");
	if (!is_alone(writes, span))
		return cannot_order(found, writes, span);
	found->write = span->call;
	found->byte = (unsigned long long)(offset - span->begin);
	return PIPES_FOUND;
}

static enum pipes_end find_read(
    struct counting *counting, unsigned long long byte, struct pipes_found *found)
{
	const struct side *reads = &counting->sides[READS];
	const struct span *span = span_of_call(reads, counting->read);
	long long begin = 0;

	if (span && !is_alone(reads, span))
		return cannot_order(found, reads, span);
	if (span)
		return find_write(counting, span->begin + (long long)byte, found);
	/* It only looked at bytes that others take: all that was taken before lies before them. */
	for (size_t i = 0; i < reads->count; i++) {
		const struct span *other = &reads->list[i];
		if (other->entered < counting->read->event &&
		    other->ended > counting->read->entered)
			return cannot(found,
			    "%s by thread %d at event %lld was under way at the same time",
			    other->call->name, other->call->tid, other->entered);
		if (other->ended <= counting->read->entered)
			begin = other->begin + other->length;
	}
	return find_write(counting, begin + (long long)byte, found);
}

static enum pipes_end find_pipe(struct counting *counting, struct pipes_found *found)
{
	const struct slot *slot = &counting->slot;

	if (!counting->seen)
		return cannot(found, "the beginning of the read is not known");
	if (slot->kind == SLOT_END && !counting->descriptors.pipes[slot->pipe].verified)
		return ask(counting, slot->pipe, found);
	if (slot->kind == SLOT_END)
		return PIPES_FOUND;
	if (slot->kind <= SLOT_OUTSIDE && counting->unverified >= 0)
		return ask(counting, (size_t)counting->unverified, found);
	if (slot->kind == SLOT_OTHER && slot->socket)
		return cannot(found,
		    "it is a connection between sockets: only pipes and socketpairs are followed");
	if (slot->kind == SLOT_OUTSIDE)
		return cannot(found,
		    "the recording began with this descriptor, so its other end is outside of it");
	return PIPES_NO_PIPE;
}

static enum pipes_end count(
    struct counting *counting, unsigned long long byte, struct pipes_found *found)
{
	const struct pipe *pipe;
	enum pipes_end end;

	if (!pass(counting))
		return cannot(found, "memory is out");
	end = find_pipe(counting, found);
	if (end != PIPES_FOUND)
		return end;
	ask(counting, counting->slot.pipe, found);
	found->socket = counting->slot.socket;
	counting->stream = stream_of(&counting->slot, READS);
	restart(counting);
	if (!pass(counting))
		return cannot(found, "memory is out");
	pipe = &counting->descriptors.pipes[counting->slot.pipe];
	if (pipe->doubt.what && pipe->doubt.call->entered < counting->read->event)
		return cannot(found, "thread %d called %s at event %lld, %s", pipe->doubt.call->tid,
		    pipe->doubt.call->name, pipe->doubt.call->entered, pipe->doubt.what);
	if (counting->drained)
		return cannot(found,
		    "thread %d came to the pipe's end at event %lld, when not as many bytes were "
		    "read "
		    "as written: somebody uses it who is not counted",
		    counting->drained->tid, counting->drained->entered);
	return find_read(counting, byte, found);
}

enum pipes_end pipes_find(const struct inputs *inputs, const struct pipe_given *given,
    size_t given_count, const struct input_call *read, unsigned long long byte,
    struct pipes_found *found)
{
	struct counting *counting = calloc(1, sizeof(*counting));
	enum pipes_end end;

	*found = (struct pipes_found){0};
	if (inputs->cut || inputs->unseen) {
		free(counting);
		return cannot(found,
		    inputs->cut
			? "the recording has more system calls than can be looked through"
			: "rr kept some system calls in its buffer, or ran 32-bit code, and does "
			  "not tell their arguments: record with `rr-warden rr record -n`");
	}
	if (!counting || !(counting->steps = steps_in_order(inputs, &counting->step_count))) {
		free(counting);
		return cannot(found, "memory is out");
	}
	counting->descriptors.inputs = inputs;
	counting->descriptors.given = given;
	counting->descriptors.given_count = given_count;
	counting->read = read;
	counting->stream = NO_STREAM;
	end = count(counting, byte, found);
	descriptors_free(&counting->descriptors);
	for (int side = READS; side < SIDES; side++)
		free(counting->sides[side].list);
	free(counting->steps);
	free(counting);
	return end;
}
