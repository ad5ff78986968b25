/*
 * The tracee's signal mask, as far as it concerns SIGTRAP.
 */
#include "worker/softpmu/traps/trapmask.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "worker/softpmu/traps/heldtrap.h"
#include "worker/softpmu/base/kernel.h"

#define TRAP_BIT (1ull << (SIGTRAP - 1))

static bool set(pid_t tid, uint64_t mask)
{
	return kernel_ptrace(PTRACE_SETSIGMASK, tid, sizeof mask, (uint64_t)&mask) >= 0;
}

void trapmask_open(
    struct tracees *tracees, struct tracee *tracee, const struct user_regs_struct *regs)
{
	uint64_t mask = 0;

	if (kernel_ptrace(PTRACE_GETSIGMASK, tracee->tid, sizeof mask, (uint64_t)&mask) < 0 ||
	    !(mask & TRAP_BIT) || !heldtrap_take(tracees, tracee, regs))
		return;
	tracee->trap_blocked = set(tracee->tid, mask & ~TRAP_BIT);
	if (!tracee->trap_blocked)
		heldtrap_give_back(tracee);
}

void trapmask_close(struct tracee *tracee)
{
	uint64_t mask = 0;

	if (!tracee->trap_blocked)
		return;
	tracee->trap_blocked = false;
	if (kernel_ptrace(PTRACE_GETSIGMASK, tracee->tid, sizeof mask, (uint64_t)&mask) >= 0)
		set(tracee->tid, mask | TRAP_BIT);
	heldtrap_give_back(tracee);
}
