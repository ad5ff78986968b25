#ifndef WORKER_PLACEMENT_H
#define WORKER_PLACEMENT_H
/*
 * One breakpoint at a location in gdb, whether the client's list has it or not.
 */
#include "worker/read/values/condition.h"
#include "worker/session/breakpoint.h"
#include "worker/session/replay.h"

/* Sets it. Returns gdb's description (the caller's), or NULL with *failure filled. See
 * conditional.h for one with a condition. */
json_t *placement_set(
    struct replay *replay, const struct breakpoint *breakpoint, struct failure *failure);

/* Sets it as `wanted` is instead, which counts on from the hits so far. `row`: of
 * mi_breakpoint_row. False with *failure filled and nothing changed. */
bool placement_replace(struct replay *replay, struct breakpoint *breakpoint,
    const struct breakpoint *wanted, const json_t *row, struct failure *failure);

/* The condition, with that for its thread, as gdb is to read it; its text is NULL if there is none.
 * For a watchpoint too. */
bool placement_condition(struct replay *replay, const struct breakpoint *breakpoint,
    struct condition_written *written, struct failure *failure);

/* gdb sets a breakpoint at any bare address, but rr cannot stop where nothing is mapped. If that is
 * so, removes it: false with *failure filled, with this hint. */
bool placement_is_mapped(struct replay *replay, const json_t *bkpt, const char *location,
    const char *hint, struct failure *failure);

#endif
