#ifndef WORKER_FRAME_LIFETIME_H
#define WORKER_FRAME_LIFETIME_H
/*
 * Finds out how long a place on the stack belongs to a local variable: from the call of its
 * function to the return. Before and after, other calls keep their variables there.
 */
#include "worker/session/replay.h"

struct frame_lifetime {
	struct moment stretch[2]; /* its function's first instruction; the one after its return */
	char function[128];
};

enum lifetime_known {
	LIFETIME_KNOWN,
	LIFETIME_NONE,	 /* no frame of the selected thread holds the address */
	LIFETIME_UNSURE, /* a frame does, but its call or its return was not found */
	LIFETIME_FAILED, /* *failure is filled, an interrupt included */
};

/* Looks at the selected frame and its callers for the call that has the address on its stack. Moves
 * the program, ignores signals, and disables the client's breakpoints meanwhile. */
enum lifetime_known frame_lifetime_find(struct replay *replay, unsigned long long address,
    struct frame_lifetime *lifetime, struct failure *failure);

/* The same without the return: the second moment is not set. */
enum lifetime_known frame_lifetime_find_begin(struct replay *replay, unsigned long long address,
    struct frame_lifetime *lifetime, struct failure *failure);

/* Where a call's life ends: steps one instruction back, and says whether that one returned, and is
 * not the unwinder's, which ends with one too. The program stays there. */
enum lifetime_end { LIFETIME_RETURNED, LIFETIME_LEFT, LIFETIME_END_UNKNOWN };
enum lifetime_end frame_lifetime_came_by_return(struct replay *replay);

#endif
