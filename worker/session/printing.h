#ifndef WORKER_PRINTING_H
#define WORKER_PRINTING_H
/*
 * The output of all processes of the session's trace. An rr beside the session reads it once; the
 * session does not move.
 */
#include "worker/session/replay.h"
#include "worker/trace/printed.h"

struct printing {
	struct printed printed;
	char broken_off[256]; /* why rr did not come to the end of the trace; "": it did */
};

/* Owned by the session; NULL with *failure filled. Takes as long as replaying the trace. */
const struct printing *printing_learn(struct replay *replay, struct failure *failure);
void printing_free(struct printing *printing);

#endif
