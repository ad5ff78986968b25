/*
 * Two conditions that lead to one place, as of `a && b`: where both can be computed, compilers do
 * so in either order. A branch on the one that is undefined is right then, as long as the other
 * leads to that place.
 */
#ifndef RR_WARDEN_SOFTPMU_JOINED_H
#define RR_WARDEN_SOFTPMU_JOINED_H

#include "worker/softpmu/follow/undefined.h"

/* Bytes of code; how many there are. */
typedef size_t joined_code(void *context, uint64_t address, uint8_t *bytes, size_t size);

/*
 * The step's instruction is a conditional branch on something undefined. False: another condition
 * beside it leads to one of its two places in any case, or it cannot be told whether that does.
 */
bool joined_counts(const struct undefined_step *step, joined_code *code, void *context);

#endif
