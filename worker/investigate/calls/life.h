#ifndef WORKER_LIFE_H
#define WORKER_LIFE_H
/*
 * Finds out how long a place on the stack belongs to a local variable: from the call of its
 * function to the return. Before and after, other calls keep their variables there.
 */
#include "worker/session/replay.h"

struct life {
	struct moment stretch[2]; /* its function's first instruction; the one after its return */
	char function[128];
};

enum life_known {
	LIFE_KNOWN,
	LIFE_NONE,   /* no frame of the selected thread holds the address */
	LIFE_UNSURE, /* a frame does, but its call or its return was not found */
	LIFE_FAILED, /* *failure is filled, an interrupt included */
};

/* Looks at the selected frame and its callers for the call that has the address on its stack. Moves
 * the program, ignores signals, and disables the client's breakpoints meanwhile. */
enum life_known life_find(
    struct replay *replay, unsigned long long address, struct life *life, struct failure *failure);

/* The same without the return: the second moment is not set. */
enum life_known life_find_begin(
    struct replay *replay, unsigned long long address, struct life *life, struct failure *failure);

/* Where a call's life ends: steps one instruction back, and says whether that one returned, and is
 * not the unwinder's, which ends with one too. The program stays there. */
enum life_end { LIFE_RETURNED, LIFE_LEFT, LIFE_END_UNKNOWN };
enum life_end life_came_by_return(struct replay *replay);

#endif
