#ifndef WORKER_RECORDED_CALL_H
#define WORKER_RECORDED_CALL_H
/*
 * A system call of the trace, in the program that is about to make it.
 */
#include "worker/session/replay.h"
#include "worker/trace/dump/inputs.h"

/* Where it begins: at its instruction, before the call. Only with a pc, else that is not known. */
struct moment recorded_call_moment(const struct input_call *call);

/* From there to where it has returned. */
bool recorded_call_pass(struct replay *replay, struct failure *failure);

/* Where it has returned: the descriptors that pipe or socketpair gave. False: they cannot be read.
 */
bool recorded_call_pair(struct replay *replay, const struct input_call *call, int pair[2]);

#endif
