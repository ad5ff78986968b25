/*
 * Resume requests: what rr asks with ptrace(PTRACE_CONT...) becomes a sequence of legs.
 */
#ifndef RR_WARDEN_SOFTPMU_RESUME_H
#define RR_WARDEN_SOFTPMU_RESUME_H

#include <sys/user.h>

#include "worker/softpmu/legs/softpmu.h"

/* True for the requests that set a tracee going. */
bool resume_is_request(int request);

/* rr resumes tid. Returns what kernel_ptrace would. */
long resume_request(struct softpmu *pmu, pid_t tid, int request, int signal);

/* Resumes a tracee that stopped at the end of a leg, with these registers. Returns 0 or -errno. */
long resume_next_leg(struct softpmu *pmu, struct tracee *tracee, struct user_regs_struct *regs);

#endif
