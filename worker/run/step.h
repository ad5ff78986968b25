#ifndef WORKER_STEP_H
#define WORKER_STEP_H
/*
 * A step back that passes no stop of another thread.
 *
 * rr (5.6 to 5.9) looks for the instruction before in one stretch of the recording after the other.
 * Where the thread ran no instruction in a stretch, because it began there, or waited in a system
 * call, rr looks in the stretch before, and forgets what other threads hit in this one. Which
 * stretches there are depends on where rr has checkpoints.
 */
#include "worker/run/sweep/resume.h"

/*
 * resume_run for a step or a finish. Backward, in a process that had threads, gdb is shown the
 * stops of this one alone. Where that has left the event at which it began, and breakpoints could
 * have stopped other threads, runs back once more, to the last stop of any thread or to where the
 * step ended. Costs a seek and a run back then, and otherwise nothing. An interrupted one ends
 * where it began.
 *
 * LIMIT: does not look while a breakpoint is temporary or ignores hits, because running over it
 * again would change it.
 */
bool step_run(struct replay *replay, const struct resumption *resumption, struct failure *failure);

#endif
