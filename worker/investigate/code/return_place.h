#ifndef WORKER_RETURN_PLACE_H
#define WORKER_RETURN_PLACE_H
/*
 * Where the return address lies at an instruction near the beginning of a function.
 */
#include "worker/session/replay.h"

#define RETURN_PLACE_MAX 64

/* Writes an expression for the return address at pc, which holds at each of its passes. False: the
 * code between the function's first instruction and that one does not prove where it lies. */
bool return_place(struct replay *replay, unsigned long long pc, char to[RETURN_PLACE_MAX]);

#endif
