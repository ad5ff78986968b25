#ifndef WORKER_LEFTOVER_FORKS_H
#define WORKER_LEFTOVER_FORKS_H
/*
 * The copies of the program that rr leaves behind. With each seek rr forks the program where it
 * arrives, for a later `run` without a number, and forgets the copy of the seek before it without
 * ending it. So a session that moves often would run out of processes, and an rr that cannot fork
 * tries again for ever.
 */
#include "worker/session/replay.h"

/* Counts the tasks at the session's start. */
void leftover_forks_begin(struct replay *replay);

/* rr is about to seek. */
void leftover_forks_seek(struct replay *replay);

/*
 * True if rr has left so many behind that it must be replaced. Counts only once in a while, because
 * that takes milliseconds.
 */
bool leftover_forks_are_too_many(struct replay *replay);

/*
 * The same within a call, which cannot replace rr: true if there are so many that rr may soon be
 * unable to fork. Then *failure is filled and the session ends; the next call restores it.
 */
bool leftover_forks_are_at_the_limit(struct replay *replay, struct failure *failure);

#endif
