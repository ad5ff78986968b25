#ifndef SUPERVISOR_CORE_NAMES_H
#define SUPERVISOR_CORE_NAMES_H
/*
 * The files that a core file says were mapped. It is untrusted, so a child that can do nothing else
 * reads it. The caller must check the names.
 */
#include <stddef.h>
#include "sandbox/sandbox.h"

/* The absolute ones, in the form of recorded_files_list; 0: the core file, or its beginning, cannot
 * be read. */
size_t core_names_list(int core, const struct sandbox_policy *policy, char *names, size_t size);

#endif
