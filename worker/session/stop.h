#ifndef WORKER_STOP_H
#define WORKER_STOP_H
/*
 * What an agent is told at each stop: why, where, the source around it, the moment, what changed
 * and what was printed on the way.
 */
#include "worker/session/replay.h"

/*
 * After a gdb_run that ended: takes note of thread, frame and moment, and returns the whole stop,
 * or NULL with *failure filled: for an interrupted call with the stop as its details. `reason` (may
 * be NULL) overrules what gdb said.
 */
json_t *stop_answer(
    struct replay *replay, enum direction direction, const char *reason, struct failure *failure);

/* The stop alone, as an object; takes note as above. NULL with *failure filled. */
json_t *stop_describe(
    struct replay *replay, enum direction direction, const char *reason, struct failure *failure);

#endif
