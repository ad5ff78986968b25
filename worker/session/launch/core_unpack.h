#ifndef WORKER_CORE_UNPACK_H
#define WORKER_CORE_UNPACK_H
/*
 * Opens a core file, and unpacks a compressed one into memory, as systemd-coredump keeps them: with
 * the program that made it (zstd, xz, lz4), in the sandbox.
 */
#include "worker/session/core.h"

/* Opens the core file that a client names. The worker must not be confined yet. NULL with *failure
 * filled. */
struct core *core_open(struct worker *worker, const char *name, struct failure *failure);

#endif
