#ifndef WORKER_WRITTEN_H
#define WORKER_WRITTEN_H
/*
 * The condition of a breakpoint as gdb is to read it where the breakpoint lies.
 */
#include "worker/read/values/condition.h"
#include "worker/session/breakpoint.h"

/* As condition_write: for a breakpoint at its places, of which one that can evaluate it is enough,
 * for a watchpoint in the selected frame. */
bool written_condition(struct replay *replay, const struct breakpoint *breakpoint,
    struct condition_written *written, struct failure *failure);

#endif
