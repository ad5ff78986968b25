#ifndef WORKER_BRIEF_H
#define WORKER_BRIEF_H
/*
 * Commands to gdb that compute nothing. Such a one must not be interrupted: done by half, it would
 * leave a breakpoint that nobody knows or misses, a checkpoint without a name, or a session that
 * takes itself to be somewhere else.
 */
#include <stdbool.h>

/* Whether this command is one, without its token. */
bool brief_is(const char *command);

#endif
