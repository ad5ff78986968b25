#ifndef SUPERVISOR_CORE_BEGINNING_H
#define SUPERVISOR_CORE_BEGINNING_H
/*
 * The beginning of a compressed core file, where it says which files were mapped.
 */
#include "sandbox/sandbox.h"

/* Has `program` unpack the open file, confined with the policy's layers, as far as is needed.
 * Returns a file in memory, or -1. Reads nothing of it. */
int core_beginning_unpack(int core, const char *program, const struct sandbox_policy *policy);

#endif
