/*
 * Tells a tracee at its last stop from one at the stop before. Must never take that last stop from
 * rr: it only looks.
 */
#include "worker/softpmu/base/killed.h"

#include <errno.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "worker/softpmu/base/kernel.h"

long killed_siginfo(pid_t tid, siginfo_t *info)
{
	long result = kernel_ptrace(PTRACE_GETSIGINFO, tid, 0, (uint64_t)info);

	return result >= 0 && info->si_code == (SIGTRAP | PTRACE_EVENT_EXIT << 8) ? -ESRCH : result;
}

bool killed_since(pid_t tid, siginfo_t *info)
{
	return killed_siginfo(tid, info) == -ESRCH;
}

void killed_await_stop(pid_t tid)
{
	siginfo_t info = {0};

	while (kernel_call(SYS_waitid, P_PID, tid, (long)&info,
		   WEXITED | WSTOPPED | __WALL | WNOWAIT, 0, 0) == -EINTR)
		;
}
