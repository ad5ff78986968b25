#ifndef WORKER_CONDITIONAL_H
#define WORKER_CONDITIONAL_H
/*
 * Breakpoints with a condition. With the software counter, they are set in hardware while debug
 * registers are left: a false hit then costs next to nothing (see softpmu/traps/conditions.h). They
 * go back to int3s when others need the registers; see registers.h.
 */
#include "worker/session/breakpoint.h"
#include "worker/session/replay.h"

/* Whether the debug registers do for it what an int3 does as well. */
bool conditional_may_choose(const struct breakpoint *breakpoint);

/* Sets a breakpoint that -break-insert made of these arguments in hardware instead, if that does
 * better; `when` is its condition. Takes gdb's description of it; returns that of the one that is
 * set now. */
json_t *conditional_in_hardware(struct replay *replay, const struct breakpoint *breakpoint,
    json_t *bkpt, const char *when, const char *arguments);

#endif
