/*
 * The condition of a hardware breakpoint, compiled from gdb's bytecode into the code cache. A pass
 * at which it does not hold costs nanoseconds and no stop; all others, and those at which it cannot
 * be told, come to the int3 that asks us, as without it.
 */
#ifndef RR_WARDEN_SOFTPMU_CONDITIONCODE_H
#define RR_WARDEN_SOFTPMU_CONDITIONCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "worker/softpmu/cache/arena.h"
#include "worker/softpmu/translate/emitter.h"

/*
 * Writes the question before the instruction at e->original, with its condition. False, with
 * nothing written, if there is none, or it is not one that can be compiled.
 */
bool conditioncode_put(struct emitter *e);

/* Where the condition is asked again behind the int3 at this address of the cache; 0: that is not
 * of a condition. */
uint64_t conditioncode_behind(const struct arena *arena, uint64_t trap);

/* Whether a condition is compiled in code that looks for what these watches do. */
bool conditioncode_is_used(const struct watches *watches, const struct condition *condition);

#endif
