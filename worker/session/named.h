#ifndef WORKER_NAMED_H
#define WORKER_NAMED_H
/*
 * Moments as a client names them: "start", "end", EVENT, EVENT:TICKS, EVENT:TICKS@PC, or a
 * bookmark.
 */
#include "worker/session/replay.h"

/* What a name means: an exact moment (ticks or pc are set), or the first moment of its event. False
 * with *failure filled. */
bool named_moment(
    struct replay *replay, const char *name, struct moment *moment, struct failure *failure);

/* Goes there. False with *failure filled: it is not there then. The client's breakpoints should be
 * out of the way. */
bool named_go(struct replay *replay, const char *name, struct failure *failure);

#endif
