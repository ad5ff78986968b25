#ifndef WORKER_LAST_HIT_H
#define WORKER_LAST_HIT_H
/*
 * Goes back to the last stop before here by running forward, because each hit that a condition
 * rejects costs rr 50 to 1000 times as much backward.
 *
 * A watchpoint's condition is evaluated after the write in both directions, so the same writes are
 * hits. (gdb alone evaluates it before the write when it goes back.)
 */
#include "worker/session/replay.h"

enum last_hit {
	LAST_HIT_THERE,	  /* the program stands, and gdb's last stop says so, as after a reverse
			     continue; at the start too */
	LAST_HIT_UNKNOWN, /* not possible this way: the program stands where it did */
	LAST_HIT_CUT,	  /* interrupted: everything after the program's place has been searched */
	LAST_HIT_FAILED,  /* *failure is filled */
};

/* Whether this works with the present breakpoints, and whether it is the better way. */
bool last_hit_can(const struct replay *replay);
bool last_hit_serves(const struct replay *replay);

enum last_hit last_hit_go(struct replay *replay, struct failure *failure);

#endif
