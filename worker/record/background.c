/*
 * See background.h. Must never wait for the program.
 */
#include "worker/record/background.h"

#include <stdio.h>
#include <string.h>
#include "worker/record/record_result.h"
#include "worker/trace/listing.h"

#define BOUNDS_MAX 400

static double gibibytes(uint64_t bytes)
{
	return (double)bytes / (1u << 30);
}

/* What ends it, so that nobody is surprised. */
static void describe_bounds(const struct recording *recording, char text[BOUNDS_MAX])
{
	json_int_t bytes =
	    json_integer_value(json_object_get(recording->worker->config.limits, "trace_bytes"));
	size_t used = strlcpy(text,
	    "Runs until it ends by itself, by rr_record_stop, or with this server", BOUNDS_MAX);

	if (recording->plan.timeout > 0)
		used += (size_t)snprintf(text + used, BOUNDS_MAX - used, ", but at most for %.0f s",
		    recording->plan.timeout);
	if (bytes > 0)
		used += (size_t)snprintf(text + used, BOUNDS_MAX - used,
		    "%s until its trace has %.1f GiB",
		    recording->plan.timeout > 0 ? " and" : ", but at most",
		    gibibytes((uint64_t)bytes));
	snprintf(text + used, BOUNDS_MAX - used, ".");
}

/* Answers the client once the program runs. */
static void answer_when_begun(struct recording *recording)
{
	char bounds[BOUNDS_MAX];
	json_auto_t *json = NULL;

	if (recording->told || !recording->begun || recording->trace < 0 ||
	    recording->reason != END_ITSELF)
		return;
	recording->told = true;
	describe_bounds(recording, bounds);
	json = json_pack("{s:o, s:b, s:s, s:s}", "trace_dir",
	    trace_path_to_json(recording->plan.destination.trace), "background", 1, "pmu",
	    pmu_kind_name(recording->plan.pmu.kind), "note", bounds);
	json_object_set(json, "sandbox", recording->sandbox);
	worker_begun(recording->worker, json);
}

static bool add_input(struct recording *recording, const json_t *text, struct failure *failure)
{
	if (!text)
		return true;
	if (recording->input.ends || recording->rr.input < 0) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
		    "the program's standard input has been closed");
		return false;
	}
	if (input_add(&recording->input, json_string_value(text)))
		return true;
	failure_set(failure, ERROR_LIMIT, "give it the text when it has read what it has",
	    "the program has not read the last %zu bytes of its input",
	    input_left(&recording->input));
	return false;
}

/* Its output so far, and how far it is. */
static json_t *take_input(void *owner, const json_t *given, struct failure *failure)
{
	struct recording *recording = owner;
	const json_t *text = json_object_get(given, "text");
	json_t *result;

	if (text && !json_is_string(text)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL, "text must be a string");
		return NULL;
	}
	if (!add_input(recording, text, failure))
		return NULL;
	recording->input.ends |= json_is_true(json_object_get(given, "eof"));
	if (recording->rr.input >= 0 && input_waits(&recording->input))
		input_give(&recording->input, &recording->rr.input);
	result = json_pack("{s:o, s:f, s:I}", "trace_dir",
	    trace_path_to_json(recording->plan.destination.trace), "seconds",
	    recording_seconds(recording), "trace_bytes",
	    (json_int_t)listing_trace_bytes(recording->trace));
	record_set_output(result, recording);
	if (input_left(&recording->input) > 0)
		json_object_set_new(
		    result, "unread", json_integer((json_int_t)input_left(&recording->input)));
	return result;
}

bool background_run(struct recording *recording, struct failure *failure)
{
	struct worker *worker = recording->worker;
	bool done;

	if (recording->plan.background) {
		recording->on_tick = answer_when_begun;
		worker->take_input = take_input;
		worker->input_owner = recording;
	}
	done = recording_run(recording, failure);
	worker->take_input = NULL;
	return done;
}
