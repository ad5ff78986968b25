#ifndef WORKER_WAITS_H
#define WORKER_WAITS_H
/*
 * Finds what the threads of a process wait for at this moment, who holds it, and whether they wait
 * for each other.
 */
#include "worker/session/replay.h"

/*
 * Every thread, but at most as many, as {tid, name?, frame, waits_for?, held_by?}: `frame` is its
 * first frame of the program's own code. If threads wait for each other, *cycle becomes a sentence
 * that says so, else NULL; the caller frees it. *left: threads that were not looked at. Keeps the
 * selected thread and frame.
 */
json_t *waits_of_threads(struct replay *replay, size_t most, char **cycle, size_t *left);

/* Whether a call of futex with this operation (without its flags) waits. Most operations wake
 * others, or give a lock away: a thread in one of those waits for nothing. */
bool waits_futex_waits(unsigned long long operation);

/* Whether a thread, by gdb's number, waits inside that system call. While it enters or leaves the
 * call, the arguments do not show what it waits for. */
bool waits_in_futex(struct replay *replay, int thread);

#endif
