#ifndef WORKER_BACK_OVER_H
#define WORKER_BACK_OVER_H
/*
 * Steps back by instructions in the selected thread, and passes over calls that returned meanwhile:
 * rr_next with unit "instruction". gdb's own command compares frames: without source lines it takes
 * any instruction for a call, and runs to the start of the recording.
 */
#include "worker/session/replay.h"

/* Goes back `count` instructions. gdb's last stop is then the step, or what stopped the program on
 * the way. A return without a call counts as one instruction. On failure the program stands where
 * it did. */
bool back_over(struct replay *replay, long long count, struct failure *failure);

#endif
