#ifndef WORKER_BREAKPOINT_TOOLS_H
#define WORKER_BREAKPOINT_TOOLS_H
/*
 * How the tools set a breakpoint.
 */
#include "worker/session/breakpoint.h"
#include "worker/session/replay.h"

/* Sets `wanted` as one of the client's breakpoints, leaves it empty, and returns {number, location,
 * function, at, ...}. `later`: it may wait for a library that contains it. NULL with *failure
 * filled. */
json_t *breakpoint_set(
    struct replay *replay, struct breakpoint *wanted, bool later, struct failure *failure);

#endif
