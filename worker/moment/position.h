#ifndef WORKER_POSITION_H
#define WORKER_POSITION_H
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

/* As {event, ticks, tid, pc, sum}, for checkpoints and state. */
json_t *position_json_exact(const struct moment *moment);
/* False if it is not a moment. */
bool position_from_json(const json_t *json, struct moment *moment);

/* Below 0: a comes before b in the recording; 0: both have the same event and ticks. */
int position_order(const struct moment *a, const struct moment *b);

/* Whether both are the same thread at the same instruction, with the same event and ticks. */
bool position_same(const struct moment *a, const struct moment *b);

/* Goes to the first moment of an event (REPLAY_EVENT_FAR: the end). */
bool position_go_event(struct replay *replay, long long event, struct failure *failure);

/* Goes to the last moment before the exec that began image `number`, in the image before. */
bool position_go_exec(struct replay *replay, size_t number, struct failure *failure);

/* Goes to the end of the process, with the client's breakpoints disabled. */
bool position_go_end(struct replay *replay, struct failure *failure);

/* Fills the failure if that event is known to be after the end (which is not an event itself). */
bool position_is_beyond(struct replay *replay, long long event, struct failure *failure);

/* Goes to a moment: its event, its ticks, and its pc and sum if known. Fails if the program does
 * not pass there. Breakpoints are disabled meanwhile. */
bool position_go(struct replay *replay, const struct moment *to, struct failure *failure);

/*
 * Makes rr keep this moment itself. The way back is then exact and needs no replay, but it works
 * only as long as this rr, which ends when the session crosses an exec; see position_is_held.
 * Returns a number for it, or 0.
 */
int position_hold(struct replay *replay);
bool position_is_held(const struct replay *replay, int held);
bool position_return(struct replay *replay, int held, struct failure *failure);
void position_release(struct replay *replay, int held);

#endif
