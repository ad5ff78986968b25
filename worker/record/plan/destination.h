#ifndef WORKER_DESTINATION_H
#define WORKER_DESTINATION_H
/*
 * Where a trace goes: its directory, which rr makes, and the parent directory.
 */
#include "worker/serve/ops.h"
#include "worker/trace/trace.h"

#define DESTINATION_TRIES 10000 /* numbers behind a program's name */

/* Starts as {0}. */
struct destination {
	char trace[TRACE_PATH_MAX];  /* absolute; does not exist yet */
	char parent[TRACE_PATH_MAX]; /* exists, links resolved */
	size_t made;		     /* where in it the names of new directories begin; 0: none */
	bool named;		     /* by the client */
	bool claimed;		     /* the name, for this recording */
	int claims; /* holds a name that the client did not choose; 0 or -1: none */
};

/* The directory that a client named; a relative one is taken from `directory` on. What is missing
 * above it is made. False with *failure filled. */
bool destination_take(const struct worker *worker, const char *name, const char *directory,
    struct destination *destination, struct failure *failure);

/* A name as rr would choose it, in rr's own directory of traces. False with *failure filled. */
bool destination_choose(const struct worker *worker, const char *program,
    struct destination *destination, struct failure *failure);

/* Takes the next name that is free and that no other recording has claimed. False when there is
 * none, or the client chose the name. */
bool destination_next(struct destination *destination);

/* Gives up the claim. If there is no trace, removes the directories that were made for it. */
void destination_release(struct destination *destination);

/* Points rr's latest-trace link to the trace, as rr does if it chooses the name itself. */
void destination_link_latest(const struct destination *destination);

#endif
