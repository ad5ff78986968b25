/*
 * Looks that the code in the cache takes at the program's memory before an instruction: a fault
 * there, or a debug register of rr's that it meets, is not the program's.
 */
#ifndef RR_WARDEN_SOFTPMU_LOOKS_H
#define RR_WARDEN_SOFTPMU_LOOKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "worker/softpmu/traps/tracees.h"

/*
 * Whether a look at what an instruction touches, or a condition asks for, has made the stop. The
 * instruction has not run yet, and does what is to be seen in a way of its own.
 */
bool looks_made(const struct space *space, const struct tracee *tracee, int status,
    const struct user_regs_struct *regs);

/*
 * Where to go on after a stop of a look at memory that the instruction itself does not touch: after
 * a fault with the question, behind a debug register at once. 0: it is no such stop.
 */
uint64_t looks_past(const struct space *space, const struct tracee *tracee, int status,
    const struct user_regs_struct *regs);

#endif
