#ifndef WORKER_STATE_H
#define WORKER_STATE_H
/*
 * The session as data (WIRE_STATE): what another worker needs to stand where this one stood.
 */
#include "worker/session/replay.h"

/* Tells the supervisor how the session stands now. */
void state_send(struct replay *replay);

/* Brings a freshly connected session to a saved moment, with its breakpoints and checkpoints. */
bool state_restore(struct replay *replay, const json_t *state, struct failure *failure);

/* Selects the thread and the frame that were: last, because a described stop selects its own. */
void state_select(struct replay *replay, const json_t *state);

#endif
