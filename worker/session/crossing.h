#ifndef WORKER_CROSSING_H
#define WORKER_CROSSING_H
/*
 * Going from one image of the process to another. rr and gdb can have only one before them: each
 * image gets an rr of its own, under the same gdb, and the client's breakpoints are set in it anew.
 */
#include "worker/session/replay.h"

/* Goes to the first instruction of an image, unless the session stands in it already: then it stays
 * where it is. Afterwards position_update is due. False with *failure filled and the session
 * lost.
 */
bool crossing_enter(struct replay *replay, size_t number, struct failure *failure);

/* To be called before and after a run forward: rr may end at an exec of a thread, and that is where
 * the run ends then. */
void crossing_await(struct replay *replay);

/*
 * After a run forward: whether it has come to the exec that ends the image, where rr goes no
 * further. `event` is where the program stands now.
 */
bool crossing_is_reached(const struct replay *replay, long long event);

/* Whether rr has gone into the next image, where what it reports is wrong. */
bool crossing_is_passed(const struct replay *replay);

/* Whether the program is at the first instruction of an image that is not the first one. */
bool crossing_is_behind(const struct replay *replay);

#endif
