#ifndef WORKER_GOROUTINES_H
#define WORKER_GOROUTINES_H
/*
 * The goroutines of a program of Go, at the present moment. Most run on no thread: the runtime
 * keeps where they wait and why (runtime.allgs). Needs the program's debug information and gdb's
 * Python.
 */
#include "worker/session/replay.h"

/*
 * Adds to an answer, if its program has goroutines: to it and to each of its `threads` (if it has
 * any) the id of the one that runs there, as `goroutine`, by their `tid`; and `goroutines`, of
 * those on no thread or on one that the answer leaves out: [{id, state, tid?, frames?, created_by?,
 * equal?, also?}]. Of several with one stack the first stands for all: `equal` counts the others,
 * and `also` has ids of theirs. `frames` has at most `depth` entries, and all takes at most
 * `budget` bytes; `more_goroutines` counts those left out. Those of the runtime itself are not
 * told. Keeps the selected thread and frame.
 */
void goroutines_add(struct replay *replay, json_t *answer, int depth, size_t budget);

#endif
