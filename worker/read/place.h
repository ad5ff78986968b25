#ifndef WORKER_PLACE_H
#define WORKER_PLACE_H
/*
 * Where a value lies, in languages that have no pointers as C has them.
 */
#include "worker/session/replay.h"

/* False in a frame of C or C++, and if gdb knows no address: it is computed, or in a register. */
bool place_of_value(struct replay *replay, const char *expression, unsigned long long *address,
    unsigned long long *size);

#endif
