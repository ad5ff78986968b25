/*
 * From a tracee that has stopped somewhere in the cache to the program's own state.
 */
#ifndef RR_WARDEN_SOFTPMU_RECOVER_H
#define RR_WARDEN_SOFTPMU_RECOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "worker/softpmu/cache/space.h"

/*
 * Turns *regs, the registers of tracee tid, into the program's state; outside the cache they are
 * that already, but a return address of rr's page is not. Also takes back branches that are counted
 * but have not retired, so call it once for a stop, after reading the budget. Ends rr if no
 * instruction of the cache begins there.
 */
void recover_state(struct space *space, pid_t tid, struct user_regs_struct *regs);

/* The instruction at this place, which recover_state has taken back, has begun nevertheless: it has
 * faulted. So its pass counts, if passes of it are counted. */
void recover_passed(const struct space *space, const struct place *place);

/* The program's registers at a place of ours that asks, and that it goes on from in the cache. */
struct user_regs_struct recover_question(
    const struct space *space, const struct place *place, const struct user_regs_struct *regs);

#endif
