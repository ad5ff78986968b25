/*
 * The code that notes in the shadow where return addresses are, see scan/heapcheck.h.
 */
#ifndef RR_WARDEN_SOFTPMU_RETURNCODE_H
#define RR_WARDEN_SOFTPMU_RETURNCODE_H

#include "worker/softpmu/translate/emitter.h"
#include "worker/x86/classify.h"

/* Written before a call and a return, and what else moves the stack pointer, if they are noted in
 * this space. As watchcode_put. */
void returncode_put(struct emitter *e, const struct classified *in);

#endif
