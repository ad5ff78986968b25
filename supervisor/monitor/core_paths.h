#ifndef SUPERVISOR_CORE_PATHS_H
#define SUPERVISOR_CORE_PATHS_H
/*
 * Which files a worker sees when it opens a core file: that file, the program and the root that the
 * call names, and what the core file says was mapped.
 */
#include <stddef.h>
#include "sandbox/sandbox.h"

struct composition;

/* Returns 0, also if there is no such core file, because the worker reports that better; -1 with
 * errno and why. */
int core_paths_add(struct composition *composition, const struct sandbox_policy *policy, char *why,
    size_t why_size);

#endif
