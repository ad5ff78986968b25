#ifndef WORKER_CLAIMS_H
#define WORKER_CLAIMS_H
/*
 * Checks claims about the recording on the recording itself. A claim says that an expression has a
 * value at a moment.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* Call this before the program moves. False with *failure filled if a claim is malformed. */
bool claims_are_sound(const json_t *claims, struct failure *failure);

/*
 * Goes to each claim's moment and evaluates the expression again: [{moment, expression, value,
 * verdict, found?, where?, tid?, pid?, error?, note?}]. The verdict is "held", "not held", or "not
 * checked" with the error. With in_full, each claim whose moment was reached also has {source?,
 * locals?, frames, stood: {moment, event, ticks, thread, place}} for people to look at; place is
 * "function:line". A claim before the fork of the session's process is checked in the parent, and
 * has its pid. Leaves the program at any moment, and on a visit: call visit_end. NULL with *failure
 * filled if the session was lost or the call was interrupted.
 */
json_t *claims_check(
    struct replay *replay, const json_t *claims, bool in_full, struct failure *failure);

bool claims_has_held(const json_t *claim);

/* How many claims in the answer of claims_check held. */
size_t claims_held(const json_t *checked);

/* "2 of 3 claims held; not: 2". Owned by the caller. */
json_t *claims_conclusion(const json_t *checked);

#endif
