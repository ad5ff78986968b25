#ifndef WORKER_ORIGIN_PIPE_H
#define WORKER_ORIGIN_PIPE_H
/*
 * From a read of a pipe or a socketpair on to the write that put the bytes in, in whatever process
 * of the trace that was.
 */
#include "worker/investigate/values/origin.h"

enum origin_piped {
	ORIGIN_PIPED,	    /* the bytes are now those that the write is about to write */
	ORIGIN_NOT_PIPED,   /* it is no pipe, or `why` says why the write is not known */
	ORIGIN_PIPE_FAILED, /* *failure is filled */
};

/* `byte` is the first of those that are followed, among those that the call took. Unless
 * ORIGIN_PIPED, the program stands anywhere in the process of the call. */
enum origin_piped origin_from_pipe(struct origin *origin, const struct input_call *call,
    unsigned long long byte, char *why, size_t size, struct failure *failure);

/* Goes to where a call begins, in its process. False with *failure filled. */
bool origin_go_to_call(
    struct origin *origin, const struct input_call *call, struct failure *failure);

/* The way goes on in another process, or behind a pipe: forgets what was true of memory before. */
void origin_cross(struct origin *origin);

/* At memory that was there when a forked process began: goes on in its parent. False: the way has
 * ended. */
bool origin_from_fork(struct origin *origin, struct failure *failure);

/* Goes to where a call of pipe or socketpair returned, and reads the two descriptors. The process
 * must be the present one. */
bool origin_read_pair(struct replay *replay, const struct input_call *call, int pair[2]);

#endif
