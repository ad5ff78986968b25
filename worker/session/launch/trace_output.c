/*
 * Asks rr for the trace's writes, and then for their bytes.
 */
#include "worker/session/launch/trace_output.h"
#include "worker/session/replay_inside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/serve/capture.h"
#include "worker/session/images.h"
#include "worker/session/launch/start_rr.h"

#define PROGRESS_EVERY 64 /* pieces of rr's output */

struct reading {
	struct replay *replay;
	struct printed *printed;
	struct dump_parser *writes;
	struct printed_parser *texts;
	unsigned pieces;
};

static void take_events(void *owner, const char *bytes, size_t length)
{
	struct reading *reading = owner;

	dump_parser_feed(reading->writes, bytes, length);
}

/* rr prints as it replays, so the share is that of the program's work. */
static void tell_progress(struct replay *replay, const struct write_call *call)
{
	const struct moment start = {0}, end = {.event = REPLAY_EVENT_FAR};
	const struct moment now = {.event = call->event, .ticks = call->ticks};
	int share = images_share(replay, &start, &end, &now);

	if (share >= 0)
		worker_progress(replay->worker, share, 100, "reading what was printed");
}

static void take_output(void *owner, const char *bytes, size_t length)
{
	struct reading *reading = owner;
	const struct printed *printed = reading->printed;

	printed_parser_feed(reading->texts, bytes, length);
	if (printed->count && reading->pieces++ % PROGRESS_EVERY == 0)
		tell_progress(reading->replay, printed->pieces[printed->count - 1].call);
}

/* Runs one rr to its end; false with *failure filled. How it ended is in `capture`. */
static bool ask(struct reading *reading, enum aside aside, capture_sink *sink,
    struct capture *capture, struct failure *failure)
{
	struct tool tool;

	*capture = (struct capture){.tool = TOOL_NONE};
	return start_aside(reading->replay, aside, &tool, failure) &&
	       capture_started(
		   reading->replay->worker, &tool, "rr", INT_MAX, sink, reading, capture, failure);
}

static void note_end(const struct capture *capture, char *text, size_t size)
{
	char end[64];

	if (capture_succeeded(capture))
		return;
	tool_describe_end(&capture->tool, end, sizeof(end));
	snprintf(text, size, "rr ended with %s before the end of the trace", end);
}

static bool read_all(
    struct reading *reading, struct trace_output *trace_output, struct failure *failure)
{
	struct capture capture;
	bool ok;

	reading->writes = writes_parser(&trace_output->printed.writes);
	reading->texts = printed_parser_new(&trace_output->printed);
	if (!reading->writes || !reading->texts)
		return failure_no_memory(failure);
	ok = ask(reading, ASIDE_EVENTS, take_events, &capture, failure);
	capture_free(&capture);
	if (!ok)
		return false;
	ok = ask(reading, ASIDE_OUTPUT, take_output, &capture, failure);
	if (ok)
		note_end(&capture, trace_output->broken_off, sizeof(trace_output->broken_off));
	capture_free(&capture);
	return ok;
}

const struct trace_output *trace_output_learn(struct replay *replay, struct failure *failure)
{
	struct reading reading = {.replay = replay};
	struct trace_output *trace_output = replay->trace_output;
	bool ok;

	if (trace_output)
		return trace_output;
	trace_output = calloc(1, sizeof(*trace_output));
	if (!trace_output)
		return failure_no_memory(failure);
	reading.printed = &trace_output->printed;
	ok = read_all(&reading, trace_output, failure);
	dump_parser_end(reading.writes);
	printed_parser_end(reading.texts);
	if (ok) {
		replay->trace_output = trace_output;
		return trace_output;
	}
	trace_output_free(trace_output);
	return NULL;
}

void trace_output_free(struct trace_output *trace_output)
{
	if (trace_output)
		printed_free(&trace_output->printed);
	free(trace_output);
}
