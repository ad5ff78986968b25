#ifndef WORKER_FORK_START_H
#define WORKER_FORK_START_H
/*
 * A breakpoint at the first instruction of a forked process, for runs back. rr has a barrier there,
 * and rr 5.9 dies if such a run comes to it without a stop (ReplayTimeline::reverse_continue asks a
 * task that is none for its ticks). The stop is told as what it means: the process begins there.
 *
 *	int guard = fork_start_guard(replay);
 *	... a run back; fork_start_tell(replay, guard); ...
 *	temporary_breakpoint_delete(replay, guard);
 */
#include "worker/session/replay.h"

/* gdb's number, or 0 where a run back cannot come to the beginning of a forked process. */
int fork_start_guard(struct replay *replay);

/* After each run: if it ended there, the stop becomes one at the start. */
void fork_start_tell(struct replay *replay, int guard);

#endif
