#ifndef WORKER_CODE_H
#define WORKER_CODE_H
/*
 * Addresses as a client writes them.
 */
#include "worker/session/replay.h"

/* What a function, a number, an expression, or one of these behind a '*' stands for in the selected
 * frame; NULL: where the program stands. False with *failure filled. */
bool code_address(struct replay *replay, const char *location, unsigned long long *address,
    struct failure *failure);

#endif
