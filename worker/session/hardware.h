#ifndef WORKER_HARDWARE_H
#define WORKER_HARDWARE_H
/*
 * The processor's debug registers: watchpoints use them, and breakpoints in code that the program
 * makes itself.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* Whether a breakpoint, as gdb describes it, uses a register. */
bool hardware_is(const json_t *bkpt);

/* Whether all that are enabled fit into the registers; gdb learns it only when the program runs.
 * *failure then says what to do. */
bool hardware_fits(struct replay *replay, struct failure *failure);

#endif
