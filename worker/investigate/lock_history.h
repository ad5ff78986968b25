#ifndef WORKER_LOCK_HISTORY_H
#define WORKER_LOCK_HISTORY_H
/*
 * Finds out who holds which lock at this moment, and since when, by following the threads from the
 * beginning of the program. Memory alone does not tell who reads under a rwlock.
 */
#include "worker/session/replay.h"

/*
 * Adds to each of these threads {tid, ...} what it holds as "holds", and where they are missing
 * "waits_for" and "held_by". If threads wait for each other and *cycle is NULL, *cycle becomes a
 * sentence that says so; the caller frees it. Where there are many calls on the way, it takes at
 * most `patience` seconds. *whole becomes false, and nothing is added, if it did not come to the
 * end: for that reason, or because it was interrupted. Returns false with *failure filled if the
 * program does not stand where it did.
 */
bool lock_history_add(struct replay *replay, double patience, json_t *threads, char **cycle,
    bool *whole, struct failure *failure);

#endif
