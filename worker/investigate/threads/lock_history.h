#ifndef WORKER_LOCK_HISTORY_H
#define WORKER_LOCK_HISTORY_H
/*
 * Finds out who holds which lock at this moment, and since when, by following the threads from the
 * beginning of the program. Memory alone does not tell who reads under a rwlock.
 */
#include "worker/investigate/threads/threading.h"

/* "deadlock: thread 13 waits for mutex left, held by ..."; NULL: no threads wait for each other.
 * The caller frees it. */
char *lock_history_cycle(const struct threading *threading);

/* In seconds. */
struct lock_patience {
	double usual; /* ends the search where there are many calls */
	double most;  /* ends it in any case; 0: nothing does */
};

/*
 * Adds to each of these threads {tid, ...} what it holds as "holds", and where they are missing
 * "waits_for" and "held_by". If threads wait for each other and *cycle is NULL, *cycle becomes a
 * sentence that says so; the caller frees it. It follows some hundred calls in any case, and
 * more as long as the patience lasts. *whole becomes false, and nothing is added, if
 * it did not come to the end: for that reason, or because it was interrupted. Returns false with
 * *failure filled if the program does not stand where it did.
 */
bool lock_history_add(struct replay *replay, struct lock_patience patience, json_t *threads,
    char **cycle, bool *whole, struct failure *failure);

#endif
