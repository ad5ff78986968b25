#ifndef WORKER_PRECEDING_H
#define WORKER_PRECEDING_H
/*
 * The instruction that lies before an address. Instructions have no fixed length, so it is decoded
 * from the beginning of the function. After a jump or a call, it is not the one that ran last.
 */
#include "worker/session/replay.h"

/* Where the last whole instruction before `end` begins; 0: not known. */
unsigned long long preceding_begin(struct replay *replay, unsigned long long end);

#endif
