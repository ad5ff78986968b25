#ifndef WORKER_UNFINISHED_H
#define WORKER_UNFINISHED_H
/*
 * A trace whose recorder stopped while the program still ran. rr 5.6 to 5.9 crash where such a
 * trace ends, because no task is left for which there is an event.
 */
#include <stdbool.h>
#include "worker/serve/ops.h"

/*
 * Writes the end of every task that the trace leaves alive, so that a replay works up to there. rr
 * then shows no exit status for these tasks, as before. last_tid: the task that ends last; 0: any.
 * `path` and `directory` are those of the trace, which rr has closed. *last becomes its last event.
 * False if the trace could not be read or written.
 */
bool unfinished_end_tasks(
    struct worker *worker, const char *path, int directory, int last_tid, long long *last);

#endif
