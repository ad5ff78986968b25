#ifndef WORKER_EVALUATE_H
#define WORKER_EVALUATE_H
/*
 * Values that a client wants to see at a stop: the argument `evaluate`.
 */
#include "worker/session/replay.h"

/* Checks them before the program moves: false with *failure filled if there are too many. */
bool evaluate_may(const json_t *expressions, struct failure *failure);

/* Adds {"evaluated": {expression: value}}, read in the selected frame. If a value cannot be read,
 * the reason in <> takes its place. Returns the stop, which may be NULL. */
json_t *evaluate_beside(struct replay *replay, json_t *stop, const json_t *expressions);

#endif
