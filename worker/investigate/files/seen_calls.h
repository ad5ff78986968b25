#ifndef WORKER_SEEN_CALLS_H
#define WORKER_SEEN_CALLS_H
/*
 * What system calls that open descriptors had in memory, and by whose code they were made. Each is
 * visited once.
 */
#include <jansson.h>
#include "worker/session/launch/kernel_writes.h"
#include "worker/session/replay.h"

#define SEEN_CALLS_MAX 2000
#define SEEN_TEXT_MAX  300
#define SEEN_FDS_MAX   253 /* descriptors of one message, as Linux bounds it */

struct seen_call {
	const struct input_call *call;
	json_t *where;	/* in words; NULL: it was not reached */
	json_t *moment; /* where it begins; NULL too if one before it was made at the same place */
	char text[SEEN_TEXT_MAX]; /* the name of the file, or the address; "": none */
	int *fds;		  /* that a message brought, or a pair's */
	size_t fd_count;
};

struct seen_calls {
	struct replay *replay;
	const struct kernel_writes *writes;
	struct seen_call *list; /* owned; in the order in which they were asked for */
	size_t count, visited;
};

/* Asks for a call, once; without effect if there are too many. */
void seen_calls_want(struct seen_calls *seen, const struct input_call *call);

/* Visits those that were asked for since the last time. In an excursion of the caller's. */
void seen_calls_visit(struct seen_calls *seen);

/* NULL: it was not asked for, or not reached. */
const struct seen_call *seen_calls_get(
    const struct seen_calls *seen, const struct input_call *call);

void seen_calls_free(struct seen_calls *seen);

#endif
