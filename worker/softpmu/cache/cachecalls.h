/*
 * System calls that change mappings, and with them the code that the cache was made from.
 */
#ifndef RR_WARDEN_SOFTPMU_CACHECALLS_H
#define RR_WARDEN_SOFTPMU_CACHECALLS_H

#include <stdbool.h>
#include <sys/user.h>

#include "worker/softpmu/cache/space.h"

/* True for the number of such a call. */
bool cachecalls_is_one(uint64_t number);

/*
 * Takes out of force what the call changes whose number orig_rax is. To be called before the call
 * is done and before the tracee runs after it; other calls change nothing.
 */
void cachecalls_note(struct space *space, const struct user_regs_struct *regs);

/* Whether tid is in a call that opens the memory of a process in /proc. */
bool cachecalls_opens_memory(pid_t tid, const struct user_regs_struct *regs);

#endif
