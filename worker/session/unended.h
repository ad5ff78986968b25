#ifndef WORKER_UNENDED_H
#define WORKER_UNENDED_H
/*
 * Recordings that end before the program, because rr itself stopped.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* "rr itself stopped at event 112 in the system call openat (assertion: …)"; NULL where the process
 * has ended in the trace, or nothing is known. The caller owns it. */
json_t *unended_reason(const struct replay *replay);

/* The same for a stop at the trace's end, as a sentence. */
json_t *unended_note(const struct replay *replay);

#endif
