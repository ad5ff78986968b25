/*
 * Watchpoints and hardware breakpoints as rr sets them, at random places of random code.
 */
#ifndef DIFFER_POINTS_H
#define DIFFER_POINTS_H

#include "tests/differ/code.h"
#include "worker/softpmu/traps/conditions.h"
#include "worker/softpmu/traps/debugregs.h"

/* Four watchpoints, for writes or for reads too. */
void points_watch(struct debug_registers *debug, uint64_t *seed, bool reads);

/* Two breakpoints instead of those that were there; one has a condition that never holds, one that
 * often does. */
void points_break(struct debug_registers *debug, struct conditions *conditions,
    const struct code *code, uint64_t *seed);

/* The address of one of the first instructions in a block. */
uint64_t points_instruction(const struct code *code, uint64_t *seed);

#endif
