#ifndef SUPERVISOR_SYMBOL_PATHS_H
#define SUPERVISOR_SYMBOL_PATHS_H
/*
 * The files of debug information that a call names for a recording of stripped programs: which of
 * them a worker sees, and under which names, so that gdb finds each by its build id.
 */
#include <stddef.h>
#include "sandbox/sandbox.h"

struct composition;

/* After the trace. Returns 0; -1 with errno and why, if one of them cannot be used. Sets the
 * composition's symbols_unsure if it is not known whether they belong to the recording. */
int symbol_paths_add(struct composition *composition, const struct sandbox_policy *policy,
    char *why, size_t why_size);

#endif
