#ifndef WORKER_REGISTERS_H
#define WORKER_REGISTERS_H
/*
 * Room in the debug registers, which breakpoints with a condition use while others do not.
 */
#include "worker/session/replay.h"

/* Takes the client's breakpoints out of the debug registers. False if none is there that can do
 * without. */
bool registers_leave(struct replay *replay);

/* Whether all that use a register fit, after those have left if they must. If not, *failure says
 * what to do. */
bool registers_make_room(struct replay *replay, struct failure *failure);

#endif
