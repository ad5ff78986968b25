#ifndef WORKER_WRAPPER_H
#define WORKER_WRAPPER_H
/*
 * Functions that only hand their arguments on to the allocator, or to what copies memory: who calls
 * them matters, not they. Known by their code, not by their names.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* How many of the frames from `at` on are such wrappers, each called by the next; they have their
 * "address". 0: the frame at `at` is none, or was not called by one. Sees no function that the
 * compiler put into its caller. */
size_t wrapper_count(struct replay *replay, const json_t *frames, size_t at);

#endif
