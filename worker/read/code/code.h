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

/* What a pointer or number holds. Here a '*' dereferences, except in front of a number: *0x5000 is
 * gdb's way to write an address. False with *failure filled. */
bool code_pointer(struct replay *replay, const char *pointer, unsigned long long *address,
    struct failure *failure);

#endif
