#ifndef WORKER_CROSSING_H
#define WORKER_CROSSING_H
/*
 * Goes from one image of the process to another. rr and gdb can handle only one at a time: each
 * image gets an rr of its own under the same gdb, and the client's breakpoints are set again.
 */
#include "worker/session/replay.h"

/* Goes to the first instruction of an image; stays where it is if the session is in that image
 * already. Call position_update afterwards. False with *failure filled and the session lost. */
bool crossing_enter(struct replay *replay, size_t number, struct failure *failure);

/* Call this before and after a run forward: rr may die at an exec by a thread, and then the run
 * ends there. */
void crossing_await(struct replay *replay);

/*
 * After a run forward: whether it reached the exec that ends the image, where rr goes no further.
 * `event` is where the program stands now.
 */
bool crossing_is_reached(const struct replay *replay, long long event);

/* Whether rr has gone into the next image, where what it reports is wrong. */
bool crossing_is_passed(const struct replay *replay);

/* Whether the program is at the first instruction of an image that is not the first one. */
bool crossing_is_behind(const struct replay *replay);

/* Whether it is at the first instruction of a forked process; and whether the call that made it is
 * known as well: what came before is in the parent, where visit_parent goes. */
bool crossing_is_at_first(const struct replay *replay);
bool crossing_is_at_fork(const struct replay *replay);

#endif
