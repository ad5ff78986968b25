#ifndef WORKER_PRECEDING_H
#define WORKER_PRECEDING_H
/*
 * The instruction that lies before an address. Instructions have no fixed length, so it is decoded
 * from the beginning of the function. After a jump or a call, it is not the one that ran last.
 */
#include "worker/session/replay.h"

/* Where the last whole instruction before `end` begins; 0: not known. */
unsigned long long preceding_begin(struct replay *replay, unsigned long long end);

/* Bytes of an instruction that calls. */
#define CALL_BYTES_MIN 2
#define CALL_BYTES_MAX 9

/* Whether a call may end at `address`, so that it may have pushed it. True may be a coincidence;
 * false is certain. */
bool preceding_may_call(struct replay *replay, unsigned long long address);

#endif
