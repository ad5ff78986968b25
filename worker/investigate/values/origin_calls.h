#ifndef WORKER_ORIGIN_CALLS_H
#define WORKER_ORIGIN_CALLS_H
/*
 * Whether a value can have come in a register through the beginnings and ends of calls that the way
 * back crosses. What the calling convention of C lets through neither as an argument nor as a
 * result is what other code left there: nobody set it.
 */
#include "worker/investigate/values/origin.h"

#define ORIGIN_CALL_NAME_MAX 80

/* On the way back from where a register was read. Begins as {0}. */
struct origin_calls {
	unsigned inside; /* calls that had returned, and in which the program stands */
	bool left;	 /* the function that read it had not begun yet */
	bool unsure;	 /* a return went elsewhere than behind a call */
	char returned[ORIGIN_CALL_NAME_MAX]; /* the outermost of `inside`; "": no name */
};

/* The program stands at a return that led to `next`. */
void origin_calls_enter(struct origin *origin, struct origin_calls *calls, unsigned long long next);

/* The program stands at a call that led to the function at `next`. False: nobody had set the
 * register, and the way has ended. */
bool origin_calls_leave(struct origin *origin, struct origin_calls *calls, unsigned long long next);

/* The program stands at the instruction that wrote the register. False: it does so in a call that
 * had returned, and which leaves nothing there on purpose; the way has ended. */
bool origin_calls_may_write(struct origin *origin, const struct origin_calls *calls);

#endif
