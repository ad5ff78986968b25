#ifndef WORKER_GUARDED_H
#define WORKER_GUARDED_H
/*
 * What the guard heap, if the program was recorded with it, knows of a block.
 */
#include "worker/session/replay.h"

/* Whether the program has a guard heap at all. It may stand anywhere. */
bool guarded_is_there(struct replay *replay);

/*
 * At the fatal signal, which came of an access to `address` (0: it is not known): {conclusion,
 * block, allocated_by, freed_by?, moments}, owned by the caller. NULL: there is no guard heap, or
 * it had no part in it. The program then stands anywhere. Must be called within an excursion.
 */
json_t *guarded_tell(struct replay *replay, unsigned long long address);

/* The same of the block at an address, or nearest to it, where the program stands; NULL: the guard
 * heap has none there. *guarded: it has pages of its own. */
json_t *guarded_block(struct replay *replay, unsigned long long address, bool *guarded);

#endif
