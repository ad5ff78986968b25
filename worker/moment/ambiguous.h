#ifndef WORKER_AMBIGUOUS_H
#define WORKER_AMBIGUOUS_H
/*
 * A name without pc or sum can mean several instants of the recording. No answer gives such a name
 * where it does; people and models shorten names.
 */
#include "worker/session/replay.h"

/* Call this where the program stands at the first instant that such a name (moment->guessed) can
 * mean. False with *failure filled if there are more: it names them, and the program stands
 * somewhere else. */
bool ambiguous_settle(struct replay *replay, const struct moment *asked, struct failure *failure);

#endif
