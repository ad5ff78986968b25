#ifndef WORKER_FORK_START_H
#define WORKER_FORK_START_H
/*
 * Where a forked process begins, a run back ends. rr has a barrier there, and rr 5.9 dies if such a
 * run begins at it or comes to it without a stop (ReplayTimeline::reverse_continue asks a task that
 * is none for its ticks): the first is not run, and a breakpoint stops the second. The stop is told
 * as what it means.
 *
 *	if (fork_start_is_here(replay))
 *		return ...;
 *	int guard = fork_start_guard(replay);
 *	... a run back; fork_start_tell(replay, guard); ...
 *	temporary_breakpoint_delete(replay, guard);
 */
#include "worker/session/replay.h"

/* Whether the program stands there. Then the last stop becomes one at the start. */
bool fork_start_is_here(struct replay *replay);

/* gdb's number, or 0 where a run back cannot come to the beginning of a forked process. */
int fork_start_guard(struct replay *replay);

/* After each run: if it ended there, the stop becomes one at the start. */
void fork_start_tell(struct replay *replay, int guard);

#endif
