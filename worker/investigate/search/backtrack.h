#ifndef WORKER_BACKTRACK_H
#define WORKER_BACKTRACK_H
/*
 * The stack as gdb has it, in which nothing is folded, and the way back to a place on it.
 */
#include "worker/session/replay.h"

#define BACKTRACK_DEPTH 20

/* MI's frames of the selected thread, at most BACKTRACK_DEPTH, the innermost first; {level, addr,
 * func, ...}. Owned by the caller; NULL: not readable. */
json_t *backtrack_stack(struct replay *replay);

/* The frame's program counter; 0: not known. */
unsigned long long backtrack_pc(const json_t *frame);

/* The direct call behind which that frame stands; 0: there is none. */
unsigned long long backtrack_call(struct replay *replay, const json_t *frame);

/* Back to the last time that the selected thread came to an address. False if it did not, or
 * something is in the way; the program then stands anywhere. Must be called within an excursion. */
bool backtrack_to(struct replay *replay, unsigned long long address);

#endif
