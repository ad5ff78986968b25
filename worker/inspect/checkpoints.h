#ifndef WORKER_CHECKPOINTS_H
#define WORKER_CHECKPOINTS_H
/*
 * The session's checkpoints, for what leaves one of its own.
 */
#include "worker/session/replay.h"

/* Where the session stands, as a checkpoint without a number. Owned by the caller. */
json_t *checkpoints_place(struct replay *replay);

/* Makes such a place a checkpoint, if it is not one already. Returns its number; 0: there is no
 * room for one more. */
int checkpoints_keep_place(struct replay *replay, const json_t *place);

#endif
