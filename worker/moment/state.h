#ifndef WORKER_STATE_H
#define WORKER_STATE_H
/*
 * The session as data (WIRE_STATE): what another worker needs to restore it.
 */
#include "worker/session/replay.h"

/* Sends the session's present state to the supervisor. */
void state_send(struct replay *replay);

/*
 * Whether the state still fits in a packet with `more` bytes of text in it, so that a session that
 * is brought back has all of it; false with *failure filled.
 */
bool state_has_room(struct replay *replay, size_t more, struct failure *failure);

/* Restores a saved moment in a newly connected session, with its breakpoints and checkpoints. */
bool state_restore(struct replay *replay, const json_t *state, struct failure *failure);

/* Selects the saved thread and frame. Must come last, because describing a stop selects its own. */
void state_select(struct replay *replay, const json_t *state);

#endif
