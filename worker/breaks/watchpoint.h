#ifndef WORKER_WATCHPOINT_H
#define WORKER_WATCHPOINT_H
/*
 * One hardware watchpoint in gdb, set in the selected thread and frame.
 */
#include "sandbox/wire/tools.h"
#include "worker/session/replay.h"

/* Sets a hardware watchpoint on where an expression's value lies (or on the expression); returns
 * gdb's number, or 0 with *failure filled. */
int watchpoint_insert(struct replay *replay, const char *expression, enum watch_access access,
    bool location, const char *condition, struct failure *failure);

/* Watches the eight bytes at an address; 0: it cannot. */
int watchpoint_insert_word(
    struct replay *replay, unsigned long long address, enum watch_access access);

#endif
