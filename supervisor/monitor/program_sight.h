#ifndef SUPERVISOR_PROGRAM_SIGHT_H
#define SUPERVISOR_PROGRAM_SIGHT_H
/*
 * Shows the programs and libraries of a recording to the worker, file by file.
 */
#include "sandbox/sandbox.h"

struct composition;

/* Shows the programs and libraries that the open trace says were mapped; sets the composition's
 * sight. Leaves out what cannot be shown, because rr reports what it misses. */
void program_sight_add(
    struct composition *composition, int trace, const struct sandbox_policy *policy);

#endif
