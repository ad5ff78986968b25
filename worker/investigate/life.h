#ifndef WORKER_LIFE_H
#define WORKER_LIFE_H
/*
 * How long a local variable's place on the stack is that variable's: from the call of its function
 * to the return. Before and after, other calls have their variables there.
 */
#include "worker/session/replay.h"

struct life {
	struct moment stretch[2]; /* its function's first instruction; behind its return */
	char function[128];
};

enum life_known {
	LIFE_KNOWN,
	LIFE_NONE,   /* the address is in no frame of the selected thread */
	LIFE_UNSURE, /* it is, but the call or the return was not found */
	LIFE_FAILED, /* *failure is filled, an interrupt included */
};

/* Of the call, among the selected frame and its callers, that has the address on its stack. Moves
 * the program; signals are passed over, the client's breakpoints out of the way. */
enum life_known life_find(
    struct replay *replay, unsigned long long address, struct life *life, struct failure *failure);

#endif
