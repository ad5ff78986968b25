/*
 * The code that counts, in the cache, how often an instruction begins; see legs/linecount.h.
 */
#ifndef RR_WARDEN_SOFTPMU_LINECODE_H
#define RR_WARDEN_SOFTPMU_LINECODE_H

#include "worker/softpmu/translate/emitter.h"

/* Whether passes of the instruction at this address are counted in this space. */
bool linecode_counts(const struct space *space, uint64_t address);

/*
 * Written before the instruction at e->original and all that belongs to it, if its passes are
 * counted. What is written from here on up to the end of the instruction knows that its pass is
 * counted, and takes it back where the instruction does not run after all: set e->lined to false
 * then.
 */
void linecode_put(struct emitter *e);

#endif
