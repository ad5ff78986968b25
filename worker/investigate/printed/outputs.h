#ifndef WORKER_OUTPUTS_H
#define WORKER_OUTPUTS_H
/*
 * What two runs printed.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* Adds "output" to an answer: that it is the same, or the first line of each stream that differs.
 */
void outputs_compare(struct replay *const replays[2], json_t *answer);

#endif
