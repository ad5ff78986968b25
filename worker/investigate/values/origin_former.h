#ifndef WORKER_ORIGIN_FORMER_H
#define WORKER_ORIGIN_FORMER_H
/*
 * Of a value that nobody has set in the present life of its block: when that life began, if malloc
 * left no trace of it in the block, and who wrote what is still there.
 */
#include "worker/investigate/values/origin_heap.h"

/*
 * At the write that may begin a new life of the block: whether it does. If not, the program stands
 * there as before, and the search goes on. True as well if the session is lost.
 */
bool origin_block_is_new(
    struct origin *origin, struct origin_block *block, struct failure *failure);

/* Ends the way there. `read`: when the bytes were read, which is later. */
bool origin_from_block(struct origin *origin, struct origin_block *block, const struct moment *read,
    struct failure *failure);

#endif
