#ifndef WORKER_CORE_STOP_H
#define WORKER_CORE_STOP_H
/*
 * Has gdb read the session's core file, and makes the stop that it stands at.
 */
#include "worker/session/launch/core_program.h"

/* False with *failure filled. */
bool core_stop(struct replay *replay, const struct core_asked *asked, struct failure *failure);

#endif
