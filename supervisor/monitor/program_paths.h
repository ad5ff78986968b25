#ifndef SUPERVISOR_PROGRAM_PATHS_H
#define SUPERVISOR_PROGRAM_PATHS_H
/*
 * Shows the programs and libraries of a recording to the worker, file by file.
 */
#include "sandbox/sandbox.h"

struct composition;

/* Shows the programs and libraries that the open trace says were mapped; sets what the worker
 * sees. Leaves out what cannot be shown, because rr reports what it misses. */
void program_paths_add(
    struct composition *composition, int trace, const struct sandbox_policy *policy);

#endif
