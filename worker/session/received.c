/*
 * Asks rr for the trace's events with the memory that each of them wrote.
 */
#include "worker/session/received.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "worker/serve/capture.h"
#include "worker/session/start_rr.h"
#include "worker/trace/execs.h"

struct reading {
	struct dump_parser *inputs;
	struct dump_parser *tasks;
};

static void take(void *owner, const char *bytes, size_t length)
{
	struct reading *reading = owner;

	dump_parser_feed(reading->inputs, bytes, length);
	dump_parser_feed(reading->tasks, bytes, length);
}

static bool keep_threads(struct received *received, const struct execs *tasks, long long pid)
{
	received->tids = calloc(tasks->thread_count + 1, sizeof(*received->tids));
	if (!received->tids)
		return false;
	received->tids[received->tid_count++] = (int)pid;
	for (size_t i = 0; i < tasks->thread_count; i++)
		if (tasks->threads[i].pid == pid)
			received->tids[received->tid_count++] = tasks->threads[i].tid;
	received->broken_off |= tasks->cut;
	return true;
}

static bool read_all(struct replay *replay, struct received *received, struct failure *failure)
{
	struct execs tasks = {0};
	struct reading reading = {inputs_parser(&received->inputs), execs_parser(&tasks)};
	struct capture capture = {.tool = TOOL_NONE};
	struct tool tool;
	bool fine = reading.inputs && reading.tasks;

	if (!fine)
		failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
	fine = fine && start_aside(replay, ASIDE_INPUTS, &tool, failure) &&
	       capture_started(
		   replay->worker, &tool, "rr", INT_MAX, take, &reading, &capture, failure);
	received->broken_off = fine && !capture_succeeded(&capture);
	dump_parser_end(reading.inputs);
	dump_parser_end(reading.tasks);
	capture_free(&capture);
	if (fine && !keep_threads(received, &tasks, replay->pid)) {
		failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
		fine = false;
	}
	execs_free(&tasks);
	return fine;
}

const struct received *received_learn(struct replay *replay, struct failure *failure)
{
	struct received *received = replay->received;

	if (received)
		return received;
	received = calloc(1, sizeof(*received));
	if (!received) {
		failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
		return NULL;
	}
	if (read_all(replay, received, failure))
		return replay->received = received;
	received_free(received);
	return NULL;
}

void received_free(struct received *received)
{
	if (!received)
		return;
	inputs_free(&received->inputs);
	free(received->tids);
	free(received);
}

bool received_is_ours(const struct received *received, int tid)
{
	for (size_t i = 0; i < received->tid_count; i++)
		if (received->tids[i] == tid)
			return true;
	return false;
}

const struct input_range *received_last(const struct received *received, unsigned long long address,
    unsigned size, long long from, long long to)
{
	for (size_t i = received->inputs.range_count; i > 0; i--) {
		const struct input_range *range = &received->inputs.ranges[i - 1];
		const struct input_call *call = &received->inputs.calls[range->call];

		if (call->event < from)
			break;
		if (call->event < to && address < range->address + range->length &&
		    range->address < address + size && received_is_ours(received, call->tid))
			return range;
	}
	return NULL;
}
