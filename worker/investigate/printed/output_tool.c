/*
 * rr_output: what was printed, write by write, around a moment.
 */
#include <stdio.h>
#include "sandbox/wire/scrub.h"
#include "worker/serve/handlers.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/session/launch/trace_output.h"

#define TEXT_MAX       2000	   /* bytes of one write */
#define TEXTS_MAX      (24 * 1024) /* and of all */
#define WRITE_OVERHEAD 100

/* How many writes are complete when the session stands at that event. */
static size_t before(const struct printed *printed, long long event)
{
	size_t count = 0;

	while (count < printed->count && printed->pieces[count].call->event < event)
		count++;
	return count;
}

static json_t *write_json(
    struct replay *replay, const struct printed *printed, const struct printed_piece *piece)
{
	const struct write_call *call = piece->call;
	struct moment moment = {
	    .event = call->event, .ticks = call->ticks, .tid = call->tid, .pc = call->pc};
	json_t *json = json_object();
	char name[16];

	if (piece->pid == replay_pid(replay)) {
		json_object_set_new(json, "moment", moment_name(replay, &moment));
	} else {
		json_object_set_new(json, "event", json_integer(call->event));
		json_object_set_new(json, "pid", json_integer(piece->pid));
	}
	if (call->fd != 1)
		json_object_set_new(
		    json, "stream", json_string(printed_stream_name(call->fd, name, sizeof(name))));
	json_object_set_new(json, "text",
	    scrub_json_middle(
		printed->streams[piece->stream].text + piece->at, piece->length, TEXT_MAX, NULL));
	return json;
}

/* The writes from..to-1, as many as fit. */
static json_t *writes_json(
    struct replay *replay, const struct printed *printed, size_t from, size_t *to)
{
	json_t *list = json_array();
	size_t room = TEXTS_MAX;

	for (size_t i = from; i < *to; i++) {
		json_t *json = write_json(replay, printed, &printed->pieces[i]);
		size_t size = json_string_length(json_object_get(json, "text")) + WRITE_OVERHEAD;

		if (size > room) {
			json_decref(json);
			*to = i;
			break;
		}
		room -= size;
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *conclude(
    const struct trace_output *trace_output, size_t from, size_t to, size_t here, const char *when)
{
	const struct printed *printed = &trace_output->printed;

	if (!printed->count)
		return json_sprintf("nothing was written to the recording's standard streams%s%s",
		    trace_output->broken_off[0] ? "; " : "", trace_output->broken_off);
	return json_sprintf("%zu write%s of %llu byte%s, %zu of them before %s; shown: %zu to "
			    "%zu%s%s%s",
	    printed->count, printed->count == 1 ? "" : "s", printed->total,
	    printed->total == 1 ? "" : "s", here, when, from + 1, to,
	    printed->cut ? "; only the first 16 MB are known" : "",
	    trace_output->broken_off[0] ? "; " : "", trace_output->broken_off);
}

json_t *tool_output(struct replay *replay, const struct output_args *args, struct failure *failure)
{
	const struct trace_output *trace_output;
	size_t here, from, to, half = (size_t)args->limit / 2;
	struct moment moment;
	json_t *writes;

	moment = *replay_now(replay);
	if (args->moment && (!moment_parse(replay, args->moment, &moment, failure) ||
				position_is_beyond(replay, moment.event, failure)))
		return NULL;
	trace_output = trace_output_learn(replay, failure);
	if (!trace_output)
		return NULL;
	here = before(&trace_output->printed, moment.event);
	from = here > half ? here - half : 0;
	to = from + (size_t)args->limit;
	if (to > trace_output->printed.count) {
		to = trace_output->printed.count;
		from = to > (size_t)args->limit ? to - (size_t)args->limit : 0;
	}
	writes = writes_json(replay, &trace_output->printed, from, &to);
	return json_pack("{s:o,s:o}", "conclusion",
	    conclude(trace_output, from, to, here, args->moment ? args->moment : "now"), "writes",
	    writes);
}
