#ifndef WORKER_CALLERS_H
#define WORKER_CALLERS_H
/*
 * The callers of the selected frame, by name.
 */
#include "worker/session/replay.h"

/* The level of the nearest one with that name; -1 with *failure filled. */
int callers_find(struct replay *replay, const char *function, struct failure *failure);

#endif
