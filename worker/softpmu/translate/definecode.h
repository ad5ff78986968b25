/*
 * The code that keeps, before an instruction runs in the cache, what is undefined in the memory
 * that it touches; see scan/heapcheck.h.
 */
#ifndef RR_WARDEN_SOFTPMU_DEFINECODE_H
#define RR_WARDEN_SOFTPMU_DEFINECODE_H

#include "worker/softpmu/translate/emitter.h"
#include "worker/x86/classify.h"

/* As checkcode_put. */
void definecode_put(struct emitter *e, const struct classified *in);

#endif
