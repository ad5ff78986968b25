/*
 * The code that writes an access into the log before its instruction runs in the cache; see
 * races/racecheck.h.
 */
#ifndef RR_WARDEN_SOFTPMU_RACECODE_H
#define RR_WARDEN_SOFTPMU_RACECODE_H

#include "worker/softpmu/translate/emitter.h"
#include "worker/x86/classify.h"

/* Written before the instruction, if accesses are noted in this space. As watchcode_put. */
void racecode_put(struct emitter *e, const struct classified *in);

#endif
