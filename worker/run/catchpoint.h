#ifndef WORKER_CATCHPOINT_H
#define WORKER_CATCHPOINT_H
/*
 * rr_catch: stops at things without a line of their own: an exception is thrown or caught, a
 * process forks, a library is loaded. It sets breakpoints in the C++ runtime and the C library,
 * because these stop in both directions and come back with a restored session. rr accepts gdb's own
 * catchpoints, but not all of them stop.
 */
#include "worker/session/breakpoint.h"
#include "worker/session/replay.h"

/* At a stop at such a breakpoint: adds one line to the answer that says what happened and where. */
void catchpoint_tell(struct replay *replay, const struct breakpoint *breakpoint, json_t *stop);

#endif
