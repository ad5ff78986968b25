#ifndef WORKER_NO_ADDRESS_H
#define WORKER_NO_ADDRESS_H
/*
 * Expressions whose value has no address, because it is in a register or no longer kept. gdb's
 * message is the same for both.
 */
#include "worker/session/replay.h"

/* If *failure is gdb's refusal to take an address, makes it say where the value is. Returns whether
 * it was that. */
bool no_address_explain(struct replay *replay, const char *expression, struct failure *failure);

#endif
