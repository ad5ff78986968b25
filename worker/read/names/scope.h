#ifndef WORKER_SCOPE_H
#define WORKER_SCOPE_H
/*
 * Names that the selected frame does not know, because they are variables of another frame.
 */
#include "worker/session/replay.h"

/* If *failure is gdb's "No symbol" and another frame of the selected thread has a variable of that
 * name, the hint names the frame; otherwise it has similar names. */
void scope_explain(struct replay *replay, struct failure *failure);

#endif
