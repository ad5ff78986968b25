#ifndef WORKER_REMOVAL_H
#define WORKER_REMOVAL_H
/*
 * Removes a trace from the disk, by itself: `rr rm X` of rr 5.6 would record a run of `rm X`.
 */
#include <stdint.h>
#include "worker/serve/ops.h"
#include "worker/trace/trace.h"

/*
 * Unlinks the trace that a client named, if it is one, under an allowed root, and holds nothing but
 * what rr put there. Its last path component may not be a link. *freed gets the bytes of disk it
 * gave back, *path where it was. Returns false with *failure filled; what was refused is
 * untouched.
 */
bool removal_remove(const struct worker *worker, const char *name, char path[TRACE_PATH_MAX],
    uint64_t *freed, struct failure *failure);

/* Removes what an rr of ours made, which has ended: a whole trace, or as much of one as there is.
 * It stays when it holds anything else. */
void removal_remove_recorded(const struct worker *worker, const char *trace);

/* Removes what was begun to be unpacked under a name of ours in an open directory. */
void removal_discard(int parent, const char *name);

#endif
