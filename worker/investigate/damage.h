#ifndef WORKER_DAMAGE_H
#define WORKER_DAMAGE_H
/*
 * A program that the C library ended because its heap is damaged: which block it was about to free
 * or resize, and what happened to that block.
 */
#include "worker/session/replay.h"

/*
 * Where it aborts: goes back to the call of free or realloc under way, and follows its block
 * through the recording, as rr_heap_history does. Returns {pointer, conclusion, block, moment},
 * owned by the caller; NULL: there is no such call, or the block's life was not found. The program
 * then stands anywhere. Must be called within an excursion.
 */
json_t *damage_find(struct replay *replay);

#endif
