/*
 * Asks rr for the trace's events with the memory that each of them wrote.
 */
#include "worker/session/launch/kernel_writes.h"
#include "worker/session/replay_inside.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "worker/serve/capture.h"
#include "worker/session/images.h"
#include "worker/session/relatives.h"
#include "worker/session/launch/start_rr.h"
#include "worker/trace/dump/execs.h"

#define PROGRESS_EVERY 64 /* pieces of rr's output */

struct reading {
	struct replay *replay;
	const struct inputs *read;
	struct dump_parser *inputs;
	struct dump_parser *tasks;
	unsigned pieces;
};

static void tell_progress(struct replay *replay, const struct inputs *inputs)
{
	long long last = images_last_event(replay);

	if (inputs->count && last > 0)
		worker_progress(replay->worker, (double)inputs->calls[inputs->count - 1].event,
		    (double)last, "reading the events");
}

static void take(void *owner, const char *bytes, size_t length)
{
	struct reading *reading = owner;

	dump_parser_feed(reading->inputs, bytes, length);
	dump_parser_feed(reading->tasks, bytes, length);
	if (reading->pieces++ % PROGRESS_EVERY == PROGRESS_EVERY - 1)
		tell_progress(reading->replay, reading->read);
}

static void keep_threads(struct kernel_writes *writes, struct execs *tasks)
{
	writes->threads = tasks->threads;
	writes->thread_count = tasks->thread_count;
	tasks->threads = NULL;
	tasks->thread_count = 0;
	writes->broken_off |= tasks->cut;
}

long long kernel_writes_process(const struct kernel_writes *writes, int tid)
{
	return threads_process(writes->threads, writes->thread_count, tid);
}

void kernel_writes_turn_to(struct replay *replay, long long pid)
{
	if (replay->writes)
		replay->writes->pid = pid;
}

static bool read_all(struct replay *replay, struct kernel_writes *writes, struct failure *failure)
{
	struct execs tasks = {0};
	struct reading reading = {.replay = replay,
	    .read = &writes->inputs,
	    .inputs = inputs_parser(&writes->inputs),
	    .tasks = execs_parser(&tasks)};
	struct capture capture = {.tool = TOOL_NONE};
	struct tool tool;
	bool ok = reading.inputs && reading.tasks;

	if (!ok)
		failure_no_memory(failure);
	ok = ok && start_aside(replay, ASIDE_INPUTS, &tool, failure) &&
	     capture_started(
		 replay->worker, &tool, "rr", INT_MAX, take, &reading, &capture, failure);
	writes->broken_off = ok && !capture_succeeded(&capture);
	dump_parser_end(reading.inputs);
	dump_parser_end(reading.tasks);
	capture_free(&capture);
	relatives_learn_forks(replay, &tasks);
	keep_threads(writes, &tasks);
	writes->pid = replay->pid;
	execs_free(&tasks);
	return ok;
}

const struct kernel_writes *kernel_writes_learn(struct replay *replay, struct failure *failure)
{
	struct kernel_writes *writes = replay->writes;

	if (writes)
		return writes;
	writes = calloc(1, sizeof(*writes));
	if (!writes)
		return failure_no_memory(failure);
	if (read_all(replay, writes, failure))
		return replay->writes = writes;
	kernel_writes_free(writes);
	return NULL;
}

void kernel_writes_free(struct kernel_writes *writes)
{
	if (!writes)
		return;
	inputs_free(&writes->inputs);
	free(writes->threads);
	free(writes);
}

bool kernel_writes_is_ours(const struct kernel_writes *writes, int tid)
{
	if (tid == writes->pid)
		return true;
	for (size_t i = 0; i < writes->thread_count; i++)
		if (writes->threads[i].tid == tid && writes->threads[i].pid == writes->pid)
			return true;
	return false;
}

const struct input_range *kernel_writes_last(const struct kernel_writes *writes,
    unsigned long long address, unsigned size, long long from, long long to)
{
	for (size_t i = writes->inputs.range_count; i > 0; i--) {
		const struct input_range *range = &writes->inputs.ranges[i - 1];
		const struct input_call *call = &writes->inputs.calls[range->call];

		if (call->event < from)
			break;
		if (call->event < to && address < range->address + range->length &&
		    range->address < address + size && kernel_writes_is_ours(writes, call->tid))
			return range;
	}
	return NULL;
}
