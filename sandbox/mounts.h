#ifndef SANDBOX_MOUNTS_H
#define SANDBOX_MOUNTS_H
/*
 * The file system as a confined process sees it, in a fresh mount namespace (see struct
 * sandbox_settings for what that is).
 */
#include <stdbool.h>
#include <stddef.h>
#include "sandbox/sandbox.h"

/* Mounts /proc of a fresh pid namespace. First of all: the kernel asks for an uncovered /proc. */
int mounts_fresh_proc(void);

/* Everything else. Returns 0, or -1 with errno and why: the step that failed. */
int mounts_enter(const struct sandbox_settings *settings, char *why, size_t why_size);

#endif
