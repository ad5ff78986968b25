/*
 * The code that looks, before an instruction runs in the cache, whether it touches a byte of the
 * heap that it must not; see scan/heapcheck.h.
 */
#ifndef RR_WARDEN_SOFTPMU_CHECKCODE_H
#define RR_WARDEN_SOFTPMU_CHECKCODE_H

#include "worker/softpmu/translate/emitter.h"
#include "worker/x86/classify.h"

/* Written before the instruction, if the heap is checked in this space. As watchcode_put. */
void checkcode_put(struct emitter *e, const struct classified *in);

/* Whether that asks before the instruction, so that it has to run in the cache. */
bool checkcode_asks(const struct space *space, uint64_t address);

#endif
