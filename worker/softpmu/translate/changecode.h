/*
 * Code that counts the changes of a tally (tally.h) where the program runs, without a stop. Before
 * each store a look as in watchcode.h; where something is marked, the value is compared with that
 * in the log: if it differs, the store that was noted before has changed it, and goes into the log
 * with it. Then this store is noted. So a change is seen when the next store comes by, or when the
 * leg ends; see changelog.h. At an instruction that does not count so, an int3 asks instead.
 */
#ifndef RR_WARDEN_SOFTPMU_CHANGECODE_H
#define RR_WARDEN_SOFTPMU_CHANGECODE_H

#include "worker/softpmu/translate/emitter.h"
#include "worker/x86/classify.h"

/* Written before the instruction, if changes are counted in this space. As watchcode_put. */
void changecode_put(struct emitter *e, const struct classified *in);

#endif
