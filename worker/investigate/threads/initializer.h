#ifndef WORKER_INITIALIZER_H
#define WORKER_INITIALIZER_H
/*
 * Who initializes a static variable of a function. C++ has the first thread that comes there do it;
 * others wait in __cxa_guard_acquire, and so does the first one itself, for ever, if the
 * initialization calls the function again. The guard does not tell who it is, but stacks do.
 */
#include "worker/session/replay.h"

#define INITIALIZER_ACQUIRE "__cxa_guard_acquire"

/* The thread that a thread (gdb's number) waits for there. 0: not known. `threads` as -thread-info
 * has them. */
int initializer_of(struct replay *replay, const json_t *threads, int thread);

#endif
