/*
 * The code that looks, before an instruction runs in the cache, whether it may touch what rr
 * watches; see watches.h.
 */
#ifndef RR_WARDEN_SOFTPMU_WATCHCODE_H
#define RR_WARDEN_SOFTPMU_WATCHCODE_H

#include "worker/x86/classify.h"
#include "worker/softpmu/translate/emitter.h"

enum { WATCHCODE_PART = 3 }; /* from the int3 that asks to the copy that runs a part */

/* Written before the instruction. pending: a branch is counted but has not retired. body: where
 * its block begins. */
void watchcode_put(struct emitter *e, const struct classified *in, bool pending, uint32_t body);

#endif
