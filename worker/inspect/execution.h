#ifndef WORKER_EXECUTION_H
#define WORKER_EXECUTION_H
/*
 * What every operation that moves the program does before and after.
 */
#include "worker/session/replay.h"

/* Before a run: false with *failure filled if the stop's expressions are not valid. */
bool execution_depart(struct replay *replay, const json_t *evaluate, struct failure *failure);

/* Whether the program cannot run in that direction, because it stands at the end of the recording:
 * the answer is the end again. */
bool execution_is_over(const struct replay *replay, enum direction direction);

/* After it: the stop, with the share of the way that was searched if it was cut off. As
 * stop_answer. */
json_t *execution_answer(
    struct replay *replay, enum direction direction, const char *reason, struct failure *failure);

#endif
