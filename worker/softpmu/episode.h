/*
 * Episodes in the course of a run: see native.h.
 */
#ifndef RR_WARDEN_SOFTPMU_EPISODE_H
#define RR_WARDEN_SOFTPMU_EPISODE_H

#include <sys/user.h>

#include "worker/softpmu/softpmu.h"

/*
 * Runs what can be run here before the tracee goes on itself: registers, memory and ticks are
 * brought up to date, and never so far that the counter would overflow.
 */
void episode_run(struct softpmu *pmu, struct tracee *tracee, struct user_regs_struct *regs);

#endif
