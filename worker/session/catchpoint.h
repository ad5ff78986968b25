#ifndef WORKER_CATCHPOINT_H
#define WORKER_CATCHPOINT_H
/*
 * rr_catch: stops at what has no line of its own, an exception that is thrown or caught, a fork, a
 * library that is loaded. They are breakpoints in the C++ runtime and the C library: those stop in
 * both directions, and a session that is brought back has them again. gdb's own catchpoints are
 * accepted by rr and do not all stop.
 */
#include "worker/session/replay.h"

/* At a stop at such a breakpoint: adds to the answer what happened and where, in one line. */
void catchpoint_tell(struct replay *replay, const struct breakpoint *breakpoint, json_t *stop);

#endif
