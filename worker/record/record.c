/*
 * rr_record: one recording and its answer.
 */
#include "worker/record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/broker.h"
#include "worker/serve/handlers.h"
#include "worker/trace/query.h"
#include "worker/record/background.h"
#include "worker/record/last_words.h"
#include "worker/record/record_result.h"
#include "worker/record/recorder.h"
#include "worker/record/plan/room.h"
#include "worker/serve/rr_words.h"

/* Of what is on stderr, rr's own words if they can be told from the program's. */
static size_t read_words(struct recording *recording, char *words, size_t size)
{
	struct last_words last;
	size_t length;

	if (last_words_take(recording->errors, &last))
		length = strlcpy(words, last.text, size);
	else
		length = stream_tail(recording->errors, words, size);
	last_words_free(&last);
	return length < size ? length : size - 1;
}

/* rr failed: fails the call with rr's words, and removes the trace, which cannot be replayed. */
void record_fail(struct recording *recording, struct failure *failure)
{
	char words[4096], end[64];
	size_t length = read_words(recording, words, sizeof(words));

	tool_describe_end(&recording->rr, end, sizeof(end));
	if (recording->ending == ENDING_ABANDONED && !recording->begun)
		failure_set(failure, ERROR_TIMEOUT,
		    "rr needs memory and processes of its own: check --memory, --processes and "
		    "`ulimit -a`, and --timeout-startup on a slow machine",
		    "rr did not start the program within %.0f s and was killed",
		    recording_seconds(recording));
	else if (room_explain(&recording->plan, recording->rr.status, words, length, failure))
		;
	else if (recording->ending == ENDING_ABANDONED)
		failure_set(failure, ERROR_TIMEOUT, "record again with a longer timeout",
		    "rr did not close the trace after the program ended; rr was killed, and the "
		    "trace removed, because it cannot be replayed");
	else if (recorder_killed(recording, failure))
		;
	else
		rr_words_fail(failure, "rr record", end, words, length);
	recording_remove(recording);
}

/* rr ps refuses a trace that rr closed without having executed the program. */
bool record_is_usable(struct recording *recording, json_t **list)
{
	struct failure refused = {0};

	if (recording->trace < 0 || trace_state_of(recording->trace) != TRACE_COMPLETE)
		return false;
	*list = query_processes(recording->worker, recording->plan.destination.trace,
	    RECORD_PROCESSES_BUDGET, &refused);
	return *list || refused.code != ERROR_INVALID_ARGUMENT;
}

void record_note_sources(const struct recording *recording, json_t *result)
{
	struct broker_reply reply = {0};
	char note[BROKER_WHY_MAX + 160];

	if (broker_ask(WORKER_BROKER_FD, BROKER_RECORDED, recording->plan.destination.trace,
		&reply) >= 0 ||
	    !result || json_object_get(result, "note"))
		return;
	snprintf(note, sizeof(note),
	    "Replays show sources from --source-dir only, because the list of this program's "
	    "sources could not be kept: %s.",
	    reply.why);
	json_object_set_new(result, "note", json_string(note));
}

static json_t *conclude(struct recording *recording, struct failure *failure)
{
	json_t *list = NULL, *result;
	char *late;

	if (!record_is_usable(recording, &list)) {
		record_fail(recording, failure);
		return NULL;
	}
	if (recorder_stopped(recording, list, &late, failure)) {
		record_note_sources(recording, NULL);
		if (!recording->plan.destination.named)
			destination_link_latest(&recording->plan.destination);
		return NULL;
	}
	if (!recording->plan.destination.named)
		destination_link_latest(&recording->plan.destination);
	result = record_result(recording, list, recording_seconds(recording));
	json_object_set_new(result, "note", json_string(late));
	free(late);
	record_note_sources(recording, result);
	if (recording->reason != END_CANCELLED)
		return result;
	failure_set(failure, ERROR_CANCELLED, "the trace is complete up to that moment",
	    "the recording was cancelled, and the program was killed");
	failure->details = result;
	return NULL;
}

json_t *tool_record(struct worker *worker, const struct record_args *args, struct failure *failure)
{
	struct record_request request = RECORD_REQUEST(args);
	struct recording recording = {0};
	json_t *result = NULL;

	request.background = args->background;

	if (!recording_open(&recording, worker))
		failure_no_memory(failure);
	else if (record_plan_make(worker, &request, &recording.plan, failure) &&
		 background_run(&recording, failure))
		result = conclude(&recording, failure);
	recording_close(&recording);
	return result;
}
