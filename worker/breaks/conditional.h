#ifndef WORKER_CONDITIONAL_H
#define WORKER_CONDITIONAL_H
/*
 * Breakpoints with a condition. With the software counter, they are set in hardware while debug
 * registers are left: a false hit then costs next to nothing (see softpmu/conditions.h). They go
 * back to int3s when others need the registers.
 */
#include "worker/session/replay.h"

/* Sets a breakpoint that -break-insert made of these arguments in hardware instead, if that does
 * better; `when` is its condition. Takes gdb's description of it; returns that of the one that is
 * set now. */
json_t *conditional_in_hardware(struct replay *replay, const struct breakpoint *breakpoint,
    json_t *bkpt, const char *when, const char *arguments);

/* Takes the client's out of the debug registers. False if none is there. */
bool conditional_leave(struct replay *replay);

/* Whether all that use a register fit, after those have left if they must. If not, *failure says
 * what to do. */
bool conditional_fit(struct replay *replay, struct failure *failure);

#endif
