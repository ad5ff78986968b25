#ifndef WORKER_PLACE_H
#define WORKER_PLACE_H
/*
 * The session's position, with what the client has selected there, to return to it.
 */
#include "worker/session/replay.h"

struct place {
	struct moment moment;
	int tid, frame; /* selected; tid 0: the thread of the moment */
	bool at_end, at_signal;
	int held; /* rr's own checkpoint there; 0: none */
};

/* The present one. Nothing is held, so the way back is a seek. */
struct place place_here(const struct replay *replay);
/* The same with rr's own checkpoint, where there can be one; release it with place_release. */
struct place place_hold(struct replay *replay);
void place_release(struct replay *replay, struct place *place);

/* Goes there; false with *failure filled if there is no way. */
bool place_return(struct replay *replay, const struct place *to, struct failure *failure);

#endif
