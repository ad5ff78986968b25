#ifndef WORKER_LIBRARY_CHECK_H
#define WORKER_LIBRARY_CHECK_H
/*
 * Where a check that the compiler put in ends the program: a canary that was overwritten, or a call
 * that would write beyond the end of its target.
 */
#include "worker/session/replay.h"

/*
 * At the abort: {conclusion, moment}, owned by the caller, with who overwrote the canary, or with
 * the call and its sizes. NULL: that cannot be known. The program then stands anywhere. Must be
 * called within an excursion.
 */
json_t *library_check_find(struct replay *replay);

#endif
