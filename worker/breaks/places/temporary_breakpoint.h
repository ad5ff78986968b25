#ifndef WORKER_TEMPORARY_BREAKPOINT_H
#define WORKER_TEMPORARY_BREAKPOINT_H
/*
 * Internal breakpoints: a call sets them in gdb for its own use and removes them before it answers.
 * The client never sees them. watchpoint_insert sets such a watchpoint.
 */
#include "worker/session/replay.h"

/* Sets one. `where` is as for MI's -break-insert: options, then a quoted location. Returns gdb's
 * number, or 0 if gdb refuses. gdb never refuses a plain address: if it did, the search would miss
 * passes, so the session is lost. */
int temporary_breakpoint_insert(struct replay *replay, const char *where);
/* The same at an address, which is not 0. */
int temporary_breakpoint_insert_at(struct replay *replay, unsigned long long address);

/* Removes it. Does nothing for 0, or if gdb is lost. */
void temporary_breakpoint_delete(struct replay *replay, int number);

/* Whether gdb leaves breakpoints in the program at its stops: with many of them, setting and
 * removing all at each stop takes long. */
void temporary_breakpoints_stay(struct replay *replay, bool stay);

#endif
