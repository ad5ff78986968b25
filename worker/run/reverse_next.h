#ifndef WORKER_REVERSE_NEXT_H
#define WORKER_REVERSE_NEXT_H
/*
 * Steps back by instructions in the selected thread, and passes over calls that returned meanwhile:
 * rr_next with unit "instruction". And back out of a function to its call. gdb's own commands for
 * both compare frames: in a statically linked program the first runs to the start of the recording,
 * and in a recursive function the second goes to a call that returned long ago.
 */
#include "worker/session/replay.h"

/* Goes back `count` instructions. gdb's last stop is then the step, or what stopped the program on
 * the way. A return without a call counts as one instruction. On failure the program stands where
 * it did. *before_fork (may be NULL): where the return address lies whose call was made before the
 * process was forked; the program stands at the return, and has not gone further. 0: none. */
bool reverse_next(struct replay *replay, long long count, unsigned long long *before_fork,
    struct failure *failure);

enum back { BACK_DONE, BACK_UNKNOWN, BACK_FAILED };

/* Goes back to the call of frame `level` of the selected thread, from anywhere in it.
 * BACK_UNKNOWN: the frame has no call that can be found, and the program stands where it did. */
enum back back_out(struct replay *replay, int level, struct failure *failure);

#endif
