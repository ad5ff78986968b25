#ifndef SUPERVISOR_TRACE_PATHS_H
#define SUPERVISOR_TRACE_PATHS_H
/*
 * Which files a worker sees when it works on a trace: the trace, and the recorded programs and
 * libraries.
 */
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/sandbox.h"
#include "supervisor/monitor/launcher.h"

struct composition;

enum trace_paths {
	TRACE_PATHS_NONE,
	TRACE_PATHS_READ,   /* the trace */
	TRACE_PATHS_REPLAY, /* the trace and what was recorded */
	TRACE_PATHS_CHANGE, /* the same, and the trace can be written */
	TRACE_PATHS_REMOVE  /* the trace and the directory that it is an entry of can be written */
};

/* Adds the trace that the call names as `which`. Returns 0, also if there is no such trace, because
 * the worker reports that better; -1 with errno and why for a path that cannot be followed. */
int trace_paths_add(struct composition *composition, enum launch_name which, enum trace_paths how,
    const struct sandbox_policy *policy, char *why, size_t why_size);

/* Adds all traces of the directory that the call names, or of the default directory. */
int trace_paths_add_base(struct composition *composition, char *why, size_t why_size);

/* Adds the default directory for traces, to be written; makes it if it does not exist. */
void trace_paths_add_new(struct composition *composition);

/* Whether a path without links is in one of a setting's directories, and in one of the
 * administrator's. Where they really are counts, because links can change. */
bool trace_paths_allows(
    const struct composition *composition, enum setting setting, const char *real);

/* Whether a path without links is a default directory for traces that can be given. */
bool trace_paths_is_base(const struct composition *composition, const char *real);

/* Whether the settings allow traces and archives at a path without links. */
bool trace_paths_may_be_here(const struct composition *composition, const char *real);

/* Turns a client's path into an absolute one, as text: "~/" is the home directory, and a relative
 * path starts where the server was started. Returns 0, or -1 if it is too long. */
int trace_paths_absolute(
    const struct composition *composition, const char *name, char *path, size_t size);

#endif
