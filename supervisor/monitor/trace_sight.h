#ifndef SUPERVISOR_TRACE_SIGHT_H
#define SUPERVISOR_TRACE_SIGHT_H
/*
 * Which files of a trace's owner a worker sees that works for a trace: the trace, and the programs
 * and libraries that were recorded.
 */
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/sandbox.h"

struct composition;

enum trace_sight {
	TRACE_SIGHT_NONE,
	TRACE_SIGHT_READ,   /* the trace */
	TRACE_SIGHT_REPLAY, /* the trace and what was recorded */
	TRACE_SIGHT_CHANGE, /* the same, and the trace can be written */
	TRACE_SIGHT_REMOVE  /* the trace and the directory that it is an entry of can be written */
};

/* The trace that the call names. Returns 0, also when there is no such trace: the worker says so
 * better. -1 with errno and why for a path that cannot be followed. */
int trace_sight_add(struct composition *composition, enum trace_sight how,
    const struct sandbox_policy *policy, char *why, size_t why_size);

/* All traces of the directory that the call names, or of where traces go by default. */
int trace_sight_add_base(struct composition *composition, char *why, size_t why_size);

/* Where traces go by default, to be written: made when it is not there. */
void trace_sight_add_new(struct composition *composition);

/* Whether the settings allow traces and archives at a path without links. */
bool trace_sight_may_be_here(const struct composition *composition, const char *real);

/* An absolute path of what a client wrote, by its text: "~/" is the home, and what is relative
 * begins where the server was started. Returns 0, -1 when it is too long. */
int trace_sight_absolute(
    const struct composition *composition, const char *name, char *path, size_t size);

#endif
