/*
 * The code that looks, before a call of a function that copies, whether its blocks may overlap; see
 * calls/copies.h.
 */
#ifndef RR_WARDEN_SOFTPMU_COPYCODE_H
#define RR_WARDEN_SOFTPMU_COPYCODE_H

#include "worker/softpmu/translate/emitter.h"
#include "worker/x86/classify.h"

/* Written before the instruction, if it is such a call, or the jump of its stub. */
void copycode_put(struct emitter *e, const struct classified *in);

#endif
