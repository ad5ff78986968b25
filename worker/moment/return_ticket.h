#ifndef WORKER_RETURN_TICKET_H
#define WORKER_RETURN_TICKET_H
/*
 * The session's position, with what the client has selected there, to return to it.
 */
#include "worker/session/replay.h"

struct return_ticket {
	struct moment moment;
	int tid, frame;		     /* selected; tid 0: the thread of the moment */
	unsigned long long function; /* in which gdb stood, as a number; 0: unknown */
	bool at_end, at_signal;
	int held; /* rr's own checkpoint there; 0: none */
};

/* The present one. Nothing is held, so the way back is a seek. */
struct return_ticket return_ticket_here(const struct replay *replay);
/* The same with rr's own checkpoint, where there can be one; release it with return_ticket_release.
 */
struct return_ticket return_ticket_hold(struct replay *replay);
void return_ticket_release(struct replay *replay, struct return_ticket *ticket);

/* Goes there; false with *failure filled if there is no way. */
bool return_ticket_use(
    struct replay *replay, const struct return_ticket *to, struct failure *failure);

#endif
