#ifndef WORKER_WATCHPOINT_H
#define WORKER_WATCHPOINT_H
/*
 * One hardware watchpoint in gdb, set in the selected thread and frame.
 */
#include "worker/session/replay.h"

enum { WATCHPOINT_PLACE_MAX = REPLAY_EXPRESSION_MAX + 64 };

/* What gdb shall watch: the expression itself if `length` is 0, else that many bytes at the address
 * that it gives. */
void watchpoint_place(
    char place[static WATCHPOINT_PLACE_MAX], const char *expression, long long length);

/* Sets a hardware watchpoint on where an expression's value lies (or on the expression); returns
 * gdb's number, or 0 with *failure filled. */
int watchpoint_insert(struct replay *replay, const char *expression, enum watch_access access,
    bool location, const char *condition, struct failure *failure);

/* The address of an expression's value as text, to set the watchpoint again later, when the names
 * in the expression may mean something else. Owned by the caller; NULL if there is none. */
char *watchpoint_address(struct replay *replay, const char *expression);

/* Where a value lies in memory, and its size. False with *failure filled, of an interrupt too. */
bool watchpoint_extent(struct replay *replay, const char *expression, unsigned long long *address,
    unsigned long long *size, struct failure *failure);

/* What to say if nothing was seen to access an address because nothing is mapped there now;
 * `length` as for watchpoint_place. NULL: something is mapped there. */
json_t *watchpoint_unmapped(struct replay *replay, unsigned long long address, long long length);

#endif
