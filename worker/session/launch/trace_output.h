#ifndef WORKER_TRACE_OUTPUT_H
#define WORKER_TRACE_OUTPUT_H
/*
 * The output of all processes of the session's trace. An rr beside the session reads it once; the
 * session does not move.
 */
#include "worker/session/replay.h"
#include "worker/trace/dump/printed.h"

struct trace_output {
	struct printed printed;
	char broken_off[256]; /* why rr did not come to the end of the trace; "": it did */
};

/* Owned by the session; NULL with *failure filled. Takes as long as replaying the trace. */
const struct trace_output *trace_output_learn(struct replay *replay, struct failure *failure);
void trace_output_free(struct trace_output *trace_output);

#endif
