#ifndef WORKER_STANDING_H
#define WORKER_STANDING_H
/*
 * Where in the recording the program stands, with the same meaning for every version of rr: `event`
 * is the next event ("current event"); ticks and tid belong to the selected thread.
 */
#include "worker/session/replay.h"

/* Reads the moment of the selected thread from rr. */
bool position_read(struct replay *replay, struct moment *moment, struct failure *failure);

/* After a stop: stores the thread that stopped, and its moment in replay_now. */
bool position_update(struct replay *replay, struct failure *failure);

/* Whether the program is at the end, where rr goes no further forward: because the stop says so, or
 * because it was so before. */
bool position_is_end(const struct replay *replay);

/* After position_update: adds to replay_now which pass of its instruction it is. */
void position_take_sum(struct replay *replay);

/* Below 0: a comes before b in the recording; 0: both have the same event and ticks. */
int position_order(const struct moment *a, const struct moment *b);

/* Whether both are the same thread at the same instruction, with the same event and ticks. */
bool position_same(const struct moment *a, const struct moment *b);

/*
 * Makes rr keep this moment itself. The way back is then exact and needs no replay, but it works
 * only as long as this rr, which ends when the session crosses an exec; see position_is_held.
 * Returns a number for it, or 0.
 */
int position_hold(struct replay *replay);
bool position_is_held(const struct replay *replay, int held);
/* rr's own number of it. */
int position_number(int held);
void position_release(struct replay *replay, int held);

#endif
