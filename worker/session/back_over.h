#ifndef WORKER_BACK_OVER_H
#define WORKER_BACK_OVER_H
/*
 * Instructions back in the selected thread, over calls that returned meanwhile: what rr_next
 * does with unit "instruction". gdb has a command for it, but goes by frames: where no source lines
 * are known it takes any instruction for a call, and runs to the start of the recording.
 */
#include "worker/session/replay.h"

/* Goes back `count` of them. gdb's last stop then is the step, or what stopped the program on the
 * way. A return that no call belongs to is one instruction. On failure the program stands where it
 * did. */
bool back_over(struct replay *replay, long long count, struct failure *failure);

#endif
