#ifndef WORKER_SHARED_CALL_H
#define WORKER_SHARED_CALL_H
/*
 * A call of abort or std::terminate that stands for several in the source: with optimization,
 * compilers make one of them, which has the line of one.
 */
#include "worker/session/replay.h"

/* At the crash: where the program came to that call from, in words; the caller's to free. NULL: the
 * call is no shared one, or nobody knows. Leaves the program anywhere. Must be called within an
 * excursion. */
char *shared_call_find(struct replay *replay);

#endif
