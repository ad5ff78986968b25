#ifndef SUPERVISOR_RECORDING_PATHS_H
#define SUPERVISOR_RECORDING_PATHS_H
/*
 * What a recording can write, and what is hidden from it.
 */
#include <stddef.h>
#include "sandbox/sandbox.h"

struct composition;

/* Returns 0, or -1 with errno and why. */
int recording_paths_add(
    struct composition *composition, struct sandbox_policy *policy, char *why, size_t why_size);

#endif
