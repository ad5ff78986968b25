#ifndef WORKER_RECURSION_H
#define WORKER_RECURSION_H
/*
 * A stack of functions that call themselves or each other: the cycle, how often it runs, and the
 * frames from which it began.
 */
#include "worker/session/replay.h"

#define RECURSION_SAID_MAX 400

/*
 * If the innermost frames of the selected thread repeat, replaces those in `frames` by the first
 * cycle, a fold with its count, and the outermost frames; fills `said` with "descend calls itself,
 * 4190 times". If not, or if there are few, changes nothing, and returns false. *more (may be -1)
 * becomes -1 if the outermost frames are there.
 */
bool recursion_fold(
    struct replay *replay, json_t *frames, int *more, char said[RECURSION_SAID_MAX]);

#endif
