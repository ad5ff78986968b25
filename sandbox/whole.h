#ifndef SANDBOX_WHOLE_H
#define SANDBOX_WHOLE_H
/*
 * The file system for a recording: it can read everything that its user sees, but write only what
 * is named.
 */
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/sandbox.h"

/* As view_enter. */
int whole_enter(const struct sandbox_policy *policy, bool *call_failed, char *why, size_t why_size);

#endif
