#ifndef WORKER_INTERNAL_H
#define WORKER_INTERNAL_H
/*
 * Internal breakpoints: a call sets them in gdb for itself and removes them before it answers. The
 * client never sees them. watchpoint_insert sets a watchpoint of this kind.
 */
#include "worker/session/replay.h"

/* Sets one. `where` is what MI's -break-insert takes: options, then a location that is quoted
 * already. Returns gdb's number; 0 where gdb refuses. */
int internal_insert(struct replay *replay, const char *where);

/* Removes it. 0 is none, and a gdb that is lost has none. */
void internal_delete(struct replay *replay, int number);

#endif
