#ifndef WORKER_PARTS_H
#define WORKER_PARTS_H
/*
 * All parts of a session, made and released together.
 */
#include "worker/session/replay.h"

struct core;
struct trace;

/* Takes over the trace's descriptor and its lock. NULL: out of memory. */
struct replay *replay_new(struct worker *worker, struct trace *trace);
/* The same for a core file, which it takes over in any case. */
struct replay *replay_new_of_core(struct worker *worker, struct core *core);
void replay_free(struct replay *replay);

#endif
