#ifndef WORKER_LAST_HIT_H
#define WORKER_LAST_HIT_H
/*
 * Goes back to the last stop before here, by running forward: rr looks for it in the other
 * direction at 50 to 1000 times the cost of each hit that a condition then passes over.
 *
 * A watchpoint's condition is asked behind the write, in both directions: so the same writes are
 * hits. (gdb by itself asks it, going back, before the write.)
 */
#include "worker/session/replay.h"

enum last_hit {
	LAST_HIT_THERE,	  /* the program stands, and gdb's last stop says so, as after a reverse
			     continue; at the start too */
	LAST_HIT_UNKNOWN, /* this way cannot tell: the program stands where it did */
	LAST_HIT_CUT,	  /* interrupted: it stands where everything behind has been searched */
	LAST_HIT_FAILED,  /* *failure is filled */
};

/* Whether it can be taken with what is set now; and whether it is the way to take. */
bool last_hit_can(const struct replay *replay);
bool last_hit_serves(const struct replay *replay);

enum last_hit last_hit_go(struct replay *replay, struct failure *failure);

#endif
