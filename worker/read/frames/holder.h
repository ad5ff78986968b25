#ifndef WORKER_HOLDER_H
#define WORKER_HOLDER_H
/*
 * Which call on the stack a place in memory belongs to.
 */
#include "worker/session/replay.h"

#define HOLDER_FUNCTION_MAX 256

struct holder {
	int level;
	unsigned long long top, back; /* the stack pointer after its return; where it returns to */
	char function[HOLDER_FUNCTION_MAX]; /* as its symbol names it; "": not known */
};

/* Looks at frame `from` of the selected thread and its callers, as many as a stack is likely to
 * have. False: none of them holds the address. */
bool holder_find(
    struct replay *replay, int from, unsigned long long address, struct holder *holder);

/* The same from the innermost one on, and names the function. */
bool holder_name(struct replay *replay, unsigned long long address, struct holder *holder);

/* Whether that frame is on the stack here, with the address in it. */
bool holder_is_here(struct replay *replay, unsigned long long address, const struct holder *holder);

#endif
