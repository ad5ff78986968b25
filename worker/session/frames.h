#ifndef WORKER_FRAMES_H
#define WORKER_FRAMES_H
/*
 * Threads and stacks. Long stacks are folded and paged.
 */
#include "worker/session/replay.h"

/*
 * Frames start.. of a thread, folded, at most `depth` entries and `budget` bytes, into `frames`.
 * *next becomes the level to go on at, or -1 at the end of the stack.
 */
bool frames_collect(struct replay *replay, int thread, int start, int depth, size_t budget,
    json_t *frames, int *next, struct failure *failure);

/*
 * How many frames repeat from `at` on: frames[at .. at+period) and again, at least twice after the
 * first. Returns the number of repetitions beyond the first, with *period; 0 when none. Frames are
 * equal when function, place and library are, and addresses where no function is known.
 */
size_t frames_repeated(const json_t *frames, size_t at, size_t *period);

#endif
