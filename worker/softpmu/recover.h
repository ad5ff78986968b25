/*
 * From a tracee that has stopped somewhere in the cache to the program's own state.
 */
#ifndef RR_WARDEN_SOFTPMU_RECOVER_H
#define RR_WARDEN_SOFTPMU_RECOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "worker/softpmu/space.h"

/*
 * Puts *regs, as the tracee has them, into the program's state; registers outside the cache are
 * that already. What of the budget is counted and has not retired is taken back: call it once for
 * a stop, after the budget was read. Ends rr when no instruction of the cache begins there.
 */
void recover_state(struct space *space, struct user_regs_struct *regs);

/* False for an address that the processor has not: nothing can run there. */
bool recover_is_canonical(uint64_t address);

#endif
