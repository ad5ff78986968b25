#ifndef WORKER_RECORD_RESULT_H
#define WORKER_RECORD_RESULT_H
/*
 * A recording, and what is answered about it.
 */
#include "worker/ops.h"
#include "worker/record_plan.h"
#include "worker/stream.h"
#include "worker/tool.h"

#define RECORD_PROCESSES_BUDGET (8 * 1024) /* bytes of JSON of processes in the answer */

enum end_reason {
	END_ITSELF,
	END_TIMEOUT,
	END_CANCELLED,
	END_ASKED,
	END_TRACE_SIZE,
	END_DISK,
};

enum ending { ENDING_NOT, ENDING_TERMINATED, ENDING_KILLED, ENDING_ABANDONED };

struct recording {
	struct op_reply unconfined; /* has a message when the worker could not be confined */
	struct worker *worker;
	struct record_plan plan;
	struct tool rr;
	int pidfd; /* of rr */
	int trace; /* the trace's directory once it is there, or -1 */
	struct stream *output, *errors;
	uint64_t errors_seen; /* of `errors`, when the last progress was made */
	size_t input_given;
	long long started, next_tick, next_step; /* ms, monotonic */
	enum end_reason reason;
	enum ending ending;
};

/* The answer about a complete trace, at most WIRE_RESULT_MAX bytes. list, as query_processes made
 * it, is taken over;
 * NULL when rr would not tell. */
json_t *record_result(const struct recording *recording, json_t *list, double seconds);

#endif
