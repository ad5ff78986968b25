/*
 * rr_record: one recording and its answer.
 */
#include "worker/record.h"

#include <string.h>
#include "worker/query.h"
#include "worker/record_result.h"
#include "worker/rr_words.h"

/* rr failed: its words, and nothing left of the trace, which cannot be replayed. */
void record_fail(struct recording *recording, struct op_reply *reply)
{
	char words[4096], end[64];
	size_t length = stream_tail(recording->errors, words, sizeof(words));

	tool_describe_end(&recording->rr, end, sizeof(end));
	if (recording->ending == ENDING_ABANDONED)
		op_fail(reply, ERROR_TIMEOUT, "record again with a longer timeout",
		    "rr did not close the trace after the program was ended; it was killed and "
		    "the trace, which cannot be replayed, removed");
	else
		rr_words_fail(reply, "rr record", end, words, length);
	recording_remove(recording);
}

/* A trace that rr closed without having executed the program is refused by rr ps. */
bool record_is_usable(struct recording *recording, json_t **list)
{
	struct op_reply refused = {0};

	if (recording->trace < 0 || trace_state_of(recording->trace) != TRACE_COMPLETE)
		return false;
	*list = query_processes(
	    recording->worker, recording->plan.trace, RECORD_PROCESSES_BUDGET, &refused);
	return *list || refused.code != ERROR_INVALID_ARGUMENT;
}

static void conclude(struct recording *recording, struct op_reply *reply)
{
	json_t *list = NULL;

	if (!record_is_usable(recording, &list)) {
		record_fail(recording, reply);
		return;
	}
	if (!recording->plan.trace_named)
		record_plan_link_latest(&recording->plan);
	reply->result = record_result(recording, list, recording_seconds(recording));
	if (recording->reason == END_CANCELLED) {
		op_fail(reply, ERROR_CANCELLED, "the trace is complete up to that moment",
		    "the recording was cancelled and the program killed");
		reply->extra = reply->result;
		reply->result = NULL;
	}
}

void record_run(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct recording recording = {0};

	if (!recording_open(&recording, worker))
		op_fail(reply, ERROR_INTERNAL, NULL, "out of memory");
	else if (record_plan_make(worker, args, &recording.plan, reply) &&
		 recording_run(&recording, reply))
		conclude(&recording, reply);
	recording_close(&recording);
}
