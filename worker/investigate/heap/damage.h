#ifndef WORKER_DAMAGE_H
#define WORKER_DAMAGE_H
/*
 * A program that the C library ended because its heap is damaged: which block was damaged, and by
 * whom.
 */
#include "worker/session/replay.h"

/*
 * Where it aborts: goes back to the call of free or realloc under way, and follows its block
 * through the recording, as rr_heap_history does; if that block is well, or if there is none, looks
 * for the last write of the program to what malloc found wrong, and for the block that it damaged.
 * Returns {pointer, conclusion, block, moment}, owned by the caller; NULL: nothing was found. The
 * program then stands anywhere. Must be called within an excursion.
 */
json_t *damage_find(struct replay *replay);

#endif
