#ifndef WORKER_CLAIMS_H
#define WORKER_CLAIMS_H
/*
 * What somebody says of the recording, checked on the recording: at a moment an expression has a
 * value.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* To be asked before the program moves: false, with *failure filled, when a claim is malformed. */
bool claims_are_sound(const json_t *claims, struct failure *failure);

/*
 * Goes to each and evaluates it again: [{moment, expression, value, verdict, found?, where?, tid?,
 * source?, error?, note?}]. The verdict is "held", "not held", or "not checked" with the error. The
 * program stands somewhere afterwards. NULL with *failure filled where the session is lost or the
 * call was interrupted.
 */
json_t *claims_check(struct replay *replay, const json_t *claims, struct failure *failure);

/* How many of what claims_check answered held. */
size_t claims_held(const json_t *checked);

/* "2 of 3 claims held; not: 2". Owned by the caller. */
json_t *claims_conclusion(const json_t *checked);

#endif
