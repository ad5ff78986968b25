/*
 * A program may block SIGTRAP. The kernel unblocks it for every trap of ours then, and takes the
 * program's handler away for good. So SIGTRAP is not blocked while our legs run, and is again
 * whenever rr sees the tracee.
 */
#ifndef RR_WARDEN_SOFTPMU_TRAPMASK_H
#define RR_WARDEN_SOFTPMU_TRAPMASK_H

#include <stdbool.h>
#include <sys/user.h>

#include "worker/softpmu/traps/tracees.h"

/* Legs begin; the tracee stands in its own code with these registers. */
void trapmask_open(
    struct tracees *tracees, struct tracee *tracee, const struct user_regs_struct *regs);

/* Legs have ended: the mask is the program's again. */
void trapmask_close(struct tracee *tracee);

#endif
