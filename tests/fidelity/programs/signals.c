/*
 * Kinds: signals that no instruction raises, faults inside handlers, and what libc does when it
 * gives up.
 */
#define FAMILY __FILE__
#include <assert.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "stage.h"

#define ASYNCHRONOUS (KIND_CALLS)

KIND(abort_in_c, KIND_CALLS | KIND_HANDLERS)
{
	abort();
}

KIND(assertion, KIND_CALLS | KIND_HANDLERS)
{
	assert(getpid() == 0);
}

KIND(raise_segv, ASYNCHRONOUS)
{
	raise(SIGSEGV);
}

KIND(raise_trap, ASYNCHRONOUS)
{
	raise(SIGTRAP);
}

KIND(kill_self, ASYNCHRONOUS)
{
	kill(getpid(), SIGUSR1);
}

KIND(kill_ill, ASYNCHRONOUS)
{
	kill(getpid(), SIGILL);
}

KIND(tgkill_bus, ASYNCHRONOUS)
{
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGBUS);
}

KIND(queued_value, ASYNCHRONOUS)
{
	union sigval value;

	value.sival_ptr = AT(0x123456789a);
	sigqueue(getpid(), SIGUSR2, value);
}

KIND(queued_fault, ASYNCHRONOUS)
{
	siginfo_t info;

	memset(&info, 0, sizeof info);
	info.si_code = -60;
	info.si_addr = AT(0x1234567890);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGSEGV, &info);
}

KIND(unblocked_later, ASYNCHRONOUS)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	stage_say("blocked");
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A fault whose signal is blocked ends the program whatever its handler is. */
KIND(fault_while_blocked, KIND_FATAL | KIND_CALLS)
{
	sigset_t set;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	*(volatile int *)AT(0x18) = 1;
}

KIND(fault_while_ignored, KIND_FATAL | KIND_CALLS)
{
	signal(SIGSEGV, SIG_IGN);
	*(volatile int *)AT(0x18) = 1;
}

KIND(broken_pipe, ASYNCHRONOUS)
{
	int ends[2];

	if (pipe(ends) != 0)
		abort();
	close(ends[0]);
	if (write(ends[1], "x", 1) < 0)
		stage_say("no pipe");
}

KIND(alarm_in_pause, ASYNCHRONOUS)
{
	struct itimerval soon = {{0, 0}, {0, 2000}};

	setitimer(ITIMER_REAL, &soon, NULL);
	pause();
	pause();
}

KIND(timer_value, ASYNCHRONOUS)
{
	struct sigevent event;
	struct itimerspec soon = {{0, 0}, {0, 2000000}};
	timer_t timer;

	memset(&event, 0, sizeof event);
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = SIGUSR2;
	event.sigev_value.sival_int = 77;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
		abort();
	timer_settime(timer, 0, &soon, NULL);
	pause();
}

static void filter_calls(uint32_t action)
{
	static struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid + 1000, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, 0),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static struct sock_fprog program = {4, code};

	code[1].k = SYS_mlockall;
	code[2].k = action;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		abort();
}

KIND(forbidden_call, KIND_CALLS | KIND_ALONE)
{
	filter_calls(SECCOMP_RET_TRAP | 5);
	syscall(SYS_mlockall, 0);
}

KIND(killed_by_filter, KIND_CALLS | KIND_FATAL)
{
	filter_calls(SECCOMP_RET_KILL_PROCESS);
	syscall(SYS_mlockall, 0);
}

/* Faults inside handlers. */
static void fault_again(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	stage_handle(number == SIGSEGV ? SIGILL : SIGSEGV, stage_handler, 0);
	if (number == SIGSEGV)
		__asm__ volatile("ud2");
	*(volatile int *)AT(0x28) = 1;
}

KIND(fault_in_handler, KIND_CALLS | KIND_HANDLERS)
{
	stage_handle(SIGSEGV, fault_again, 0);
	*(volatile int *)AT(0x18) = 1;
}

KIND(fault_in_handler_of_call, KIND_CALLS | KIND_HANDLERS)
{
	stage_handle(SIGUSR1, fault_again, 0);
	raise(SIGUSR1);
}

KIND(same_fault_in_handler, KIND_CALLS | KIND_FATAL)
{
	stage_handle(SIGILL, fault_again, 0);
	stage_handle(SIGSEGV, fault_again, 0);
	signal(SIGSEGV, SIG_DFL);
	*(volatile int *)AT(0x18) = 1;
}

/* The handler returns to a changed context. */
static void skip(int number, siginfo_t *info, void *context)
{
	ucontext_t *uc = (ucontext_t *)context;

	(void)number;
	(void)info;
	uc->uc_mcontext.gregs[REG_RIP] = 0x10;
	uc->uc_mcontext.gregs[REG_R12] = 0x1234;
}

KIND(handler_returns_to_nowhere, KIND_CALLS | KIND_HANDLERS)
{
	stage_handle(SIGILL, skip, 0);
	__asm__ volatile("ud2");
}

static void spoil_stack(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP] = 0x10;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
}

/* No stack for the handler: Linux ends the program. */
KIND(handler_without_stack, KIND_CALLS | KIND_FATAL)
{
	stage_handle(SIGILL, spoil_stack, 0);
	__asm__ volatile("ud2\npush %rax");
}

KIND(signal_without_stack, KIND_FATAL)
{
	stage_handle(SIGSEGV, stage_handler, 0);
	__asm__ volatile("xor %esp, %esp\npush %rax");
}

KIND(bad_signal_frame, KIND_CALLS | KIND_FATAL)
{
	__asm__ volatile("mov $15, %eax\nlea 0x20000(%rsp), %rsp\nsyscall");
}

/* A call of the system with bad pointers is no fault. */
KIND(bad_pointer_in_call, KIND_CALLS)
{
	if (syscall(SYS_write, 1, AT(0x10), 8) < 0 && errno == EFAULT)
		stage_say("EFAULT");
	*(volatile int *)AT(0x18) = 1;
}

KIND(processor_time, KIND_CALLS | KIND_ALONE)
{
	struct rlimit second = {1, RLIM_INFINITY};

	setrlimit(RLIMIT_CPU, &second);
	for (volatile long i = 0;; i++)
		;
}
