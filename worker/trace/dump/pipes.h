#ifndef WORKER_PIPES_H
#define WORKER_PIPES_H
/*
 * Which write of which task put a byte into a pipe or a socketpair that a read took out of it. The
 * counts of bytes decide: the n-th byte that is read is the n-th that was written. All calls of the
 * trace that use this pipe are counted, by all its holders, from its beginning on.
 *
 * LIMIT: a pipe that a program opens again through /proc/self/fd or /dev/stdin is not known to be
 * the same one, so whoever names the write must compare its bytes with those that were read.
 */
#include "worker/trace/dump/descriptors.h"

#define PIPES_WHY_MAX 300

enum pipes_end {
	PIPES_FOUND,
	PIPES_ASK,     /* the descriptors that call number `begun` gave must be given first */
	PIPES_NO_PIPE, /* the descriptor is no end of a pipe or socketpair of this recording */
	PIPES_CANNOT,  /* `why` says why it cannot be known */
};

struct pipes_found {
	const struct input_call *write;
	unsigned long long byte; /* of the write's bytes, from 0 */
	long long offset;	 /* in all that went through the pipe */
	bool socket;
	size_t begun;
	char why[PIPES_WHY_MAX];
};

/* `read` is a call of inputs->calls, and `byte` one of those that it took. */
enum pipes_end pipes_find(const struct inputs *inputs, const struct pipe_given *given,
    size_t given_count, const struct input_call *read, unsigned long long byte,
    struct pipes_found *found);

#endif
