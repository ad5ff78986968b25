#ifndef WORKER_WAITS_H
#define WORKER_WAITS_H
/*
 * Finds what the threads of a process wait for at this moment, who holds it, and whether they wait
 * for each other.
 */
#include "worker/session/replay.h"

/*
 * Every thread as {tid, name?, frame, waits_for?, held_by?}: `frame` is the first of its stack that
 * is the program's own. *cycle becomes a sentence where threads wait for each other, else NULL; to
 * be freed. Leaves the selection as it was.
 */
json_t *waits_of_threads(struct replay *replay, char **cycle);

#endif
