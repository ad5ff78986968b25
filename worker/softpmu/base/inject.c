/*
 * Injected system calls. All signals are blocked meanwhile, so that nothing but the call happens in
 * the tracee. A stop that is not the call's own must stay where it is: rr waits for it.
 */
#include "worker/softpmu/base/inject.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/killed.h"
#include "worker/softpmu/base/memory.h"

/* rr's page: three-byte stubs `syscall; ret`. The sixth is privileged and untraced in recordings
 * and in replays. */
#define RR_UNTRACED_CALL 0x7000000full

/* Waits for the next stop of the call; false if it is another stop, which is not consumed. */
static bool wait_for_stop(pid_t tid)
{
	siginfo_t info = {0};
	int status = 0;
	long got;

	do {
		got = kernel_call(SYS_waitid, P_PID, tid, (long)&info,
		    WEXITED | WSTOPPED | __WALL | WNOWAIT, 0, 0);
	} while (got == -EINTR);
	if (got < 0 || info.si_code != CLD_TRAPPED ||
	    (info.si_status != (SIGTRAP | 0x80) &&
		info.si_status != (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)))
		return false;
	do {
		got = kernel_call(SYS_wait4, tid, (long)&status, __WALL, 0, 0, 0);
	} while (got == -EINTR);
	return got == tid;
}

/* Whether a request to the kernel was done. It knows no such tracee once that has been killed. */
static bool done(struct injection *injection, long result)
{
	injection->lost |= result == -ESRCH;
	return result >= 0;
}

/* Lets the tracee make the call that it stands at. */
static bool make_call(struct injection *injection)
{
	struct __ptrace_syscall_info info = {0};
	const pid_t tid = injection->tid;

	do {
		if (!done(injection, kernel_ptrace(PTRACE_SYSCALL, tid, 0, 0)))
			return false;
		if (!wait_for_stop(tid)) {
			injection->lost = true;
			return false;
		}
		if (!done(injection,
			kernel_ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, (uint64_t)&info)))
			return false;
	} while (info.op != PTRACE_SYSCALL_INFO_EXIT);
	return true;
}

bool inject_is_possible(pid_t tid)
{
	uint8_t code[3] = {0};

	return memory_read(tid, RR_UNTRACED_CALL, code, sizeof code) && code[0] == 0x0f &&
	       code[1] == 0x05 && code[2] == 0xc3;
}

bool inject_begin(struct injection *injection, pid_t tid, const struct user_regs_struct *regs)
{
	uint64_t all = ~0ull;

	*injection = (struct injection){.tid = tid, .regs = regs};
	return inject_is_possible(tid) &&
	       memory_read(tid, INJECT_SCRATCH, injection->scratch, sizeof injection->scratch) &&
	       done(injection,
		   kernel_ptrace(PTRACE_GETSIGMASK, tid, 8, (uint64_t)&injection->blocked)) &&
	       done(injection, kernel_ptrace(PTRACE_SETSIGMASK, tid, 8, (uint64_t)&all));
}

long inject_call(struct injection *injection, long number, const uint64_t argument[6])
{
	struct user_regs_struct regs = *injection->regs;

	regs.rip = RR_UNTRACED_CALL;
	regs.orig_rax = (uint64_t)-1;
	regs.rax = (uint64_t)number;
	regs.rdi = argument[0];
	regs.rsi = argument[1];
	regs.rdx = argument[2];
	regs.r10 = argument[3];
	regs.r8 = argument[4];
	regs.r9 = argument[5];
	if (injection->lost ||
	    !done(injection, kernel_ptrace(PTRACE_SETREGS, injection->tid, 0, (uint64_t)&regs)) ||
	    !make_call(injection) ||
	    !done(injection, kernel_ptrace(PTRACE_GETREGS, injection->tid, 0, (uint64_t)&regs)))
		return -ESRCH;
	return (long)regs.rax;
}

static void put_registers_back(struct injection *injection)
{
	done(
	    injection, kernel_ptrace(PTRACE_SETREGS, injection->tid, 0, (uint64_t)injection->regs));
}

void inject_end(struct injection *injection)
{
	if (!injection->lost)
		put_registers_back(injection);
	if (injection->lost) {
		killed_await_stop(injection->tid);
		put_registers_back(injection);
	}
	memory_write(injection->tid, INJECT_SCRATCH, injection->scratch, INJECT_SCRATCH_WORDS);
	kernel_ptrace(PTRACE_SETSIGMASK, injection->tid, 8, (uint64_t)&injection->blocked);
}
