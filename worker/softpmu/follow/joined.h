/*
 * Two conditions that lead to one place, as of `a && b`: where both can be computed, compilers do
 * so in either order. A branch on the one that is undefined is right then, as long as the other
 * leads to that place.
 */
#ifndef RR_WARDEN_SOFTPMU_JOINED_H
#define RR_WARDEN_SOFTPMU_JOINED_H

#include "worker/softpmu/follow/undefined.h"
#include "worker/x86/decode.h"

/*
 * The step's instruction is a conditional branch on something undefined. False: another condition
 * beside it leads to one of its two places in any case, or it cannot be told whether that does.
 */
bool joined_counts(const struct undefined_step *step, code_reader reader, void *context);

#endif
