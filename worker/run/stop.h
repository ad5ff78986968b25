#ifndef WORKER_STOP_H
#define WORKER_STOP_H
/*
 * What agents learn at each stop: why, where, the source around it, the moment, what changed and
 * what was printed on the way.
 */
#include "worker/session/replay.h"

/*
 * After gdb_run: stores thread, frame and moment, and returns the whole stop, or NULL with *failure
 * filled. For an interrupted call, the stop is in the failure's details. `reason` (may be NULL)
 * overrides gdb's.
 */
json_t *stop_answer(
    struct replay *replay, enum direction direction, const char *reason, struct failure *failure);

/* Adds a note to a stop, which may have others: they are joined by "; ". Takes over the text; both
 * may be NULL. */
void stop_add_note(json_t *stop, json_t *text);

/* Only the stop, as an object. Stores as above. NULL with *failure filled. */
json_t *stop_describe(
    struct replay *replay, enum direction direction, const char *reason, struct failure *failure);

#endif
