#ifndef WORKER_UNINTERRUPTIBLE_H
#define WORKER_UNINTERRUPTIBLE_H
/*
 * Commands to gdb that compute nothing and must not be interrupted: done by half, one would a
 * breakpoint that nobody knows or misses, a checkpoint without a name, or a session that takes
 * itself to be somewhere else.
 */
#include <stdbool.h>

/* Whether this command is one, without its token. */
bool uninterruptible_is(const char *command);

#endif
