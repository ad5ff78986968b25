#ifndef WORKER_OPENING_H
#define WORKER_OPENING_H
/*
 * Opens two sessions in one worker, for a tool that compares them.
 */
#include "worker/session/replay.h"

/* Each on the trace with its name and the process with its pid (0: the first), at the start of its
 * last program. False with *failure filled. The caller frees both in either case; they may be NULL.
 */
bool opening_both(struct worker *worker, const char *const names[2], const long long pids[2],
    struct replay *replays[2], struct failure *failure);

#endif
