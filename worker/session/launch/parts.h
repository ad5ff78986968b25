#ifndef WORKER_PARTS_H
#define WORKER_PARTS_H
/*
 * All parts of a session, made and released together.
 */
#include "worker/session/replay.h"

struct trace;

/* Takes over the trace's descriptor and its lock. NULL: out of memory. */
struct replay *replay_new(struct worker *worker, struct trace *trace);
void replay_free(struct replay *replay);

#endif
