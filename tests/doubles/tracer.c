/*
 * Traces a child as rr does, for a library that stands between rr and the kernel: at each system
 * call that seccomp reports, and again behind it, it reads the registers through libc's ptrace.
 * Prints what the child got from a call that is newer than rr, and whether the number and the
 * argument of the call are still there. Usage: tracer
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GUARD_INSTALL = 102, NOT_HERE = 77 };

static int child(void)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	raise(SIGSTOP);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		return NOT_HERE;
	syscall(SYS_madvise, 0, 0, GUARD_INSTALL);
	return 0;
}

static int stop_of(pid_t pid)
{
	int status = 0;

	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		return -1;
	return status >> 8;
}

int main(void)
{
	struct user_regs_struct regs = {0};
	pid_t pid = fork();

	if (pid == 0)
		_exit(child());
	if (pid < 0 || waitpid(pid, NULL, WUNTRACED) != pid ||
	    ptrace(PTRACE_SEIZE, pid, 0,
		PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) != 0)
		return NOT_HERE;
	kill(pid, SIGCONT);
	for (int stop = stop_of(pid); stop != (SIGTRAP | PTRACE_EVENT_SECCOMP << 8);
	     stop = stop_of(pid)) {
		if (stop < 0)
			return NOT_HERE;
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	printf("entry %lld %lld %lld\n", (long long)regs.orig_rax, (long long)regs.rdx,
	    (long long)regs.rax);
	ptrace(PTRACE_SYSCALL, pid, 0, 0);
	if (stop_of(pid) != (SIGTRAP | 0x80))
		return NOT_HERE;
	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	printf("exit %lld %lld %lld\n", (long long)regs.orig_rax, (long long)regs.rdx,
	    (long long)regs.rax);
	ptrace(PTRACE_CONT, pid, 0, 0);
	return waitpid(pid, NULL, __WALL) == pid ? 0 : 1;
}
