/*
 * The tracee's signal mask, as far as it concerns SIGTRAP.
 */
#include "worker/softpmu/trapmask.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "worker/softpmu/kernel.h"

enum { PENDING_MAX = 16 };

#define TRAP_BIT (1ull << (SIGTRAP - 1))

/* A SIGTRAP among the thread's pending signals, or the process's: raised by the processor or not.
 */
static bool is_pending(pid_t tid, bool shared, bool by_processor)
{
	struct __ptrace_peeksiginfo_args which = {
	    .nr = PENDING_MAX, .flags = shared ? PTRACE_PEEKSIGINFO_SHARED : 0};
	siginfo_t pending[PENDING_MAX] = {0};
	long count = kernel_ptrace(PTRACE_PEEKSIGINFO, tid, (uint64_t)&which, (uint64_t)pending);

	for (long i = 0; i < count; i++) {
		if (pending[i].si_signo == SIGTRAP && (pending[i].si_code > 0) == by_processor)
			return true;
	}
	return false;
}

bool trapmask_has_trap(pid_t tid)
{
	return is_pending(tid, false, true);
}

static bool set(pid_t tid, uint64_t mask)
{
	return kernel_ptrace(PTRACE_SETSIGMASK, tid, sizeof mask, (uint64_t)&mask) >= 0;
}

void trapmask_open(struct tracee *tracee)
{
	uint64_t mask = 0;

	if (kernel_ptrace(PTRACE_GETSIGMASK, tracee->tid, sizeof mask, (uint64_t)&mask) < 0 ||
	    !(mask & TRAP_BIT) || is_pending(tracee->tid, false, false) ||
	    is_pending(tracee->tid, true, false))
		return;
	tracee->trap_blocked = set(tracee->tid, mask & ~TRAP_BIT);
}

void trapmask_close(struct tracee *tracee)
{
	uint64_t mask = 0;

	if (!tracee->trap_blocked)
		return;
	tracee->trap_blocked = false;
	if (kernel_ptrace(PTRACE_GETSIGMASK, tracee->tid, sizeof mask, (uint64_t)&mask) >= 0)
		set(tracee->tid, mask | TRAP_BIT);
}
