#ifndef WORKER_POOL_ROOM_H
#define WORKER_POOL_ROOM_H
/*
 * Whether a wrong access is in the memory of the pool whose block it is beside.
 */
#include "worker/session/replay.h"
#include "worker/x86/tallymark.h"

/*
 * Where the program stands at the finding. False: the block is in a variable, and the access goes
 * to another one, or to a frame of the stack in which none is known there: the software counter
 * does not know where a variable ends. True for all that are no accesses beside a named allocator's
 * block.
 */
bool pool_room_has(struct replay *replay, const struct check_table *table);

#endif
