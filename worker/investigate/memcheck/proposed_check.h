#ifndef WORKER_PROPOSED_CHECK_H
#define WORKER_PROPOSED_CHECK_H
/*
 * The checker that settles what a crash alone does not tell.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/*
 * Adds to the report's hint that rr_check_memory can name the access at fault, and about how long
 * it takes: where malloc found its data damaged (`damaged`) and the report names no block for it,
 * and where a pointer in a heap block led nowhere. seconds: that one pass to the crash took. Adds
 * nothing where the check cannot run, or would tell nothing.
 */
void proposed_check(struct replay *replay, json_t *report, bool damaged, double seconds);

#endif
