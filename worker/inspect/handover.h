#ifndef WORKER_HANDOVER_H
#define WORKER_HANDOVER_H
/*
 * A forked process is one story with its parent: a call that goes back over the fork goes on there.
 * The session is the parent's from then on, with its breakpoints; a checkpoint leads back to where
 * the call began, and the answer says both.
 *
 *	struct handover handover = handover_begin(replay);
 *	... handover_cross, handover_stay ...
 *	return handover_end(&handover, replay, stop, failure);
 */
#include "worker/session/replay.h"

struct handover {
	long long from;	  /* the process when the call began */
	long long parent; /* its own; 0: not known yet */
	json_t
	    *place; /* where it stood, as of checkpoints_place; NULL: there is no other to go to */
	json_t *lost; /* texts: what is not set in another process */
};

/* Call this before the program moves: back (NULL), or to a moment. */
struct handover handover_begin(struct replay *replay, const struct moment *to);

/* Whether the program stands at the first instruction of a forked process, whose parent can be
 * visited. In a trace that was too long to read at once, this reads the rest. */
bool handover_is_at_fork(struct replay *replay);

/* After a run back: looks where the program stands. Whether it is there, and the run would have
 * gone further. False with *failure filled. */
bool handover_is_due(
    struct replay *replay, const struct handover *handover, bool *due, struct failure *failure);

/* From the first instruction of a forked process to its parent, before the call that made it, which
 * is a step of one instruction. False with *failure filled, and the program stands where it did. */
bool handover_cross(struct replay *replay, struct handover *handover, struct failure *failure);

/* Within an excursion, after a visit: the process that is visited becomes the session's. Does
 * nothing if none is. */
void handover_stay(struct replay *replay, struct handover *handover);

/* Ends it in either case: says in the stop, or in the failure, what was handed over. Returns the
 * stop, which may be NULL. */
json_t *handover_end(
    struct handover *handover, struct replay *replay, json_t *stop, struct failure *failure);

#endif
