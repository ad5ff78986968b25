#ifndef WORKER_ORIGIN_FORMER_H
#define WORKER_ORIGIN_FORMER_H
/*
 * Of a value that nobody has set in the present life of its block: when that life began, if malloc
 * left no trace of it in the block, and who wrote what is still there.
 */
#include "worker/investigate/values/origin_heap.h"

/*
 * The program stands where the block was released, before `read`: goes on to where it was handed
 * out again, the last time before `read`, and stores in block->by by what. False: it was not, or
 * that is not known, and the program stands where it did, or the session is lost.
 */
bool origin_find_handout(
    struct origin *origin, struct origin_block *block, const struct moment *read);

/* Stores in origin->left what wrote the bytes before `released`, and comes back. */
void origin_tell_former(struct origin *origin, const struct moment *released);

#endif
