#ifndef WORKER_CALLERS_H
#define WORKER_CALLERS_H
/*
 * The callers of the selected frame, by name; and what callers can be.
 */
#include "worker/session/replay.h"

/* The level of the nearest one with that name; -1 with *failure filled. */
int callers_find(struct replay *replay, const char *function, struct failure *failure);

/* Whether no code of the program and its libraries has lines, but the C library's and rr's: then no
 * frame is one of the program's own code by its lines. False as well if gdb does not tell. */
bool callers_have_no_lines(struct replay *replay);

#endif
