#ifndef SANDBOX_VIEW_H
#define SANDBOX_VIEW_H
/*
 * The file system for a process that works on a trace: an empty root that contains only what is
 * named.
 */
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/sandbox.h"

/*
 * In a fresh mount namespace, for good. Returns 0, or -1 with errno and why; *call_failed then says
 * whether a path of the policy is the reason.
 */
int view_enter(const struct sandbox_policy *policy, bool *call_failed, char *why, size_t why_size);

#endif
