#ifndef WORKER_RESTART_H
#define WORKER_RESTART_H
/*
 * Takes the program to a place that rr can go to by itself.
 */
#include "worker/session/replay.h"

/* target: rr's, as behind its `run`. there: what is known of where that is; NULL: gdb is to read
 * anew which libraries are loaded. False with *failure filled. */
bool restart_to(
    struct replay *replay, const char *target, const struct moment *there, struct failure *failure);

#endif
