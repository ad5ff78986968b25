#ifndef WORKER_UNPLACED_H
#define WORKER_UNPLACED_H
/*
 * Expressions whose value has no address: in a register, or kept nowhere any more. gdb's message is
 * the same for both.
 */
#include "worker/session/replay.h"

/* Where *failure is gdb's refusal to take an address, makes it say where the value is. */
void unplaced_explain(struct replay *replay, const char *expression, struct failure *failure);

#endif
