#ifndef WORKER_POSITION_H
#define WORKER_POSITION_H
/*
 * Goes to moments.
 */
#include "worker/moment/standing.h"
#include "worker/session/replay.h"

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

/* Goes back to what position_hold has kept. there: the moment of it, which makes it cheap; NULL:
 * gdb is to look anew which libraries are loaded. */
bool position_return(
    struct replay *replay, int held, const struct moment *there, struct failure *failure);
/* The same where the client's breakpoints are disabled already. */
bool position_restore(
    struct replay *replay, int held, const struct moment *there, struct failure *failure);

#endif
