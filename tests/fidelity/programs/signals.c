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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
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

/* With the si_code of a fault, which a crash reporter sends on: a program may say so to itself. */
static void send_itself(int number, int code)
{
	siginfo_t info;

	memset(&info, 0, sizeof info);
	info.si_code = code;
	info.si_addr = AT(0x1234567890);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, &info);
}

KIND(queued_like_fault, ASYNCHRONOUS)
{
	send_itself(SIGSEGV, SEGV_MAPERR);
}

KIND(queued_like_protection, ASYNCHRONOUS)
{
	send_itself(SIGSEGV, SI_KERNEL);
}

KIND(queued_like_breakpoint, ASYNCHRONOUS | KIND_REFUSED)
{
	send_itself(SIGTRAP, SI_KERNEL);
}

KIND(queued_like_division, ASYNCHRONOUS)
{
	send_itself(SIGFPE, FPE_INTDIV);
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

/* A signal that no fault raises, after a fault: Linux tells its handler of that fault. */
static volatile uint64_t go_on_at;

static void go_on(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] = (greg_t)go_on_at;
}

static void tell(int number, siginfo_t *info, void *context)
{
	dump_signal(number, info, context);
}

#define FAULT(number, instructions)                                                                \
	do {                                                                                       \
		stage_handle(number, go_on, 0);                                                    \
		__asm__ volatile("lea 1f(%%rip), %%rax\nmov %%rax, %0\n" instructions "\n1:"       \
				 : "=m"(go_on_at)::"rax", "rcx", "rdx", "cc", "memory");           \
	} while (0)
#define FAULTS(X)                                                                                  \
	X(page, SIGSEGV, "movb $1, 0x18")                                                          \
	X(protection, SIGSEGV, "movabs $0x8000000000000000, %%rax\nmov (%%rax), %%rax")            \
	X(interrupt, SIGSEGV, "int $13")                                                           \
	X(division, SIGFPE, "xor %%ecx, %%ecx\ndiv %%ecx")                                         \
	X(ud2, SIGILL, "ud2")                                                                      \
	X(breakpoint, SIGTRAP, "int3")
#define SIGNAL_AFTER(name, number, instructions)                                                   \
	KIND(signal_after_##name, KIND_CALLS | KIND_HANDLERS)                                      \
	{                                                                                          \
		FAULT(number, instructions);                                                       \
		raise(SIGUSR1);                                                                    \
	}
FAULTS(SIGNAL_AFTER)

KIND(signal_after_two_faults, KIND_CALLS | KIND_HANDLERS)
{
	FAULT(SIGSEGV, "movb $1, 0x28");
	FAULT(SIGILL, "ud2");
	raise(SIGUSR1);
}

/* With a signal that state.py passes over: what libc lays around it differs. */
static void *raise_here(void *unused)
{
	raise(SIGURG);
	return unused;
}

/* A new thread and a new process have the last fault of the one that made them. */
KIND(signal_in_thread_after_fault, KIND_CALLS | KIND_HANDLERS)
{
	static pthread_t thread; /* not on the stack, which is compared */

	stage_handle(SIGURG, tell, 0);
	FAULT(SIGSEGV, "movb $1, 0x38");
	if (pthread_create(&thread, NULL, raise_here, NULL) != 0)
		abort();
	pthread_join(thread, NULL);
	FAULT(SIGILL, "ud2");
	raise(SIGUSR2);
}

KIND(signal_in_child_after_fault, KIND_CALLS | KIND_HANDLERS)
{
	static pid_t child; /* not on the stack, which is compared */

	stage_handle(SIGURG, tell, 0);
	FAULT(SIGSEGV, "movb $1, 0x48");
	child = fork();
	if (child == 0) {
		raise_here(NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	FAULT(SIGILL, "ud2");
	raise(SIGUSR2);
}

/* The instruction that faults sets flags, and runs again. */
static void give_access(int number, siginfo_t *info, void *context)
{
	dump_signal(number, info, context);
	mprotect((void *)((uintptr_t)info->si_addr & ~0xfffull), 0x1000, PROT_READ | PROT_WRITE);
}

#define AGAIN(name, load, op)                                                                      \
	KIND(name##_again, KIND_CALLS | KIND_HANDLERS)                                             \
	{                                                                                          \
		stage_handle(SIGSEGV, give_access, 1);                                             \
		mprotect(AT(STAGE_DATA), 0x1000, PROT_NONE);                                       \
		__asm__ volatile("mov %%rsp, %%rbx\nmov $" STRING(                                 \
		    STAGE_DATA) "+0x800, %%esp\n" load op "\n1: mov %%rbx, %%rsp" ::               \
				     : "rax", "rbx", "cc", "memory");                              \
		raise(SIGUSR2);                                                                    \
	}
AGAIN(pop_flags, "", "popfq")
AGAIN(push_flags, "", "pushfq")

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

/* The flag is in the context to which the handler returns, or the handler sets it itself. */
static void set_trap_flag(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= 0x100;
}

KIND(trap_flag_from_handler, KIND_CALLS | KIND_REFUSED)
{
	stage_handle(SIGUSR1, set_trap_flag, 0);
	raise(SIGUSR1);
}

static void pop_trap_flag(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	__asm__ volatile("pushfq\norl $0x100, (%%rsp)\npopfq\nnop" ::: "cc", "memory");
}

KIND(trap_flag_in_handler, KIND_CALLS | KIND_REFUSED)
{
	stage_handle(SIGUSR1, pop_trap_flag, 0);
	raise(SIGUSR1);
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
	__asm__ volatile("mov $0x10, %esp\npush %rax"); /* not 0, see differences.list */
}

KIND(bad_signal_frame, KIND_CALLS | KIND_REFUSED)
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

KIND(processor_time, KIND_CALLS | KIND_LONG)
{
	struct rlimit second = {1, RLIM_INFINITY};

	setrlimit(RLIMIT_CPU, &second);
	for (volatile long i = 0;; i++)
		;
}
