#ifndef SANDBOX_WHOLE_H
#define SANDBOX_WHOLE_H
/*
 * The file system as a recording sees it: all that its user sees, to be read; only what is named is
 * to be written.
 */
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/sandbox.h"

/* As view_enter. */
int whole_enter(const struct sandbox_policy *policy, bool *call_failed, char *why, size_t why_size);

#endif
