#ifndef SUPERVISOR_PROGRAM_PATHS_H
#define SUPERVISOR_PROGRAM_PATHS_H
/*
 * Shows the programs and libraries of a recording to the worker, file by file.
 */
#include <stdbool.h>
#include "sandbox/sandbox.h"

struct composition;

/* Shows the programs and libraries that the open trace says were mapped; sets what the worker
 * sees. Leaves out what cannot be shown, because rr reports what it misses. */
void program_paths_add(
    struct composition *composition, int trace, const struct sandbox_policy *policy);

/* The same for the files that a core file, which is open, says were mapped. */
void program_paths_add_mapped(
    struct composition *composition, int core, const struct sandbox_policy *policy);

/* Shows the program at a path without links, which a call names; false if it cannot be shown. */
bool program_paths_add_named(struct composition *composition, const char *real);

#endif
