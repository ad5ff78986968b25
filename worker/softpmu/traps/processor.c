/*
 * The probe: a child that stops at a hardware breakpoint, then at rdtsc, if these work. It makes no
 * call into libc, because it has rr's memory and rr's other threads are not in it. It must never
 * outlive the probe.
 */
#include "worker/softpmu/traps/processor.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "worker/softpmu/traps/debugregs.h"
#include "worker/softpmu/base/kernel.h"

static struct processor found = {true, true, false, true};

enum { READS_FS = 2 }; /* of AT_HWCAP2 */

/* Where the child passes the breakpoint. */
void processor_mark(void);
__asm__(".text\n.globl processor_mark\n.hidden processor_mark\nprocessor_mark:\nnop\nret\n");

static _Noreturn void be_child(void)
{
	uint32_t low, high;
	long self = kernel_call(SYS_getpid, 0, 0, 0, 0, 0, 0);

	kernel_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
	if (kernel_ptrace(PTRACE_TRACEME, 0, 0, 0) >= 0) {
		kernel_call(SYS_kill, self, SIGSTOP, 0, 0, 0, 0);
		processor_mark();
		kernel_call(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0, 0);
		__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	}
	for (;;)
		kernel_call(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* The child's next stop; 0 when there is none any more. */
static int next_stop(pid_t child)
{
	int status = 0;
	long got;

	do {
		got = kernel_call(SYS_wait4, child, (long)&status, __WALL, 0, 0, 0);
	} while (got == -EINTR);
	return got == child && WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

static bool poke(pid_t child, unsigned index, uint64_t value)
{
	return kernel_ptrace(PTRACE_POKEUSER, child, debug_registers_offset(index), value) >= 0;
}

/* Notes what the child shows to work. It may have ended then, or not. */
static void watch_child(pid_t child, struct processor *shown)
{
	int signal;

	if (next_stop(child) != SIGSTOP || !poke(child, 0, (uint64_t)(uintptr_t)processor_mark) ||
	    !poke(child, DEBUG_CONTROL, 1))
		return;
	kernel_ptrace(PTRACE_CONT, child, 0, 0);
	signal = next_stop(child);
	shown->debug_registers = signal == SIGTRAP;
	if (signal == SIGTRAP) {
		poke(child, DEBUG_CONTROL, 0);
		kernel_ptrace(PTRACE_CONT, child, 0, 0);
		signal = next_stop(child);
	}
	shown->traps_rdtsc = signal == SIGSEGV;
}

void processor_probe(const char *lacks)
{
	long child;

	found = (struct processor){false, false, getauxval(AT_HWCAP2) & READS_FS, true};
	child = kernel_call(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
	if (child == 0)
		be_child();
	if (child > 0) {
		watch_child((pid_t)child, &found);
		/* The worker's filter lets rr end a task by tgkill alone. */
		kernel_call(SYS_tgkill, child, child, SIGKILL, 0, 0, 0);
		while (next_stop((pid_t)child) != 0)
			kernel_ptrace(PTRACE_CONT, (pid_t)child, 0, SIGKILL);
	}
	if (!lacks)
		return;
	found.debug_registers &= !strstr(lacks, "debug");
	found.traps_rdtsc &= !strstr(lacks, "rdtsc");
	found.reads_fs &= !strstr(lacks, "fs");
	found.tells_status &= !strstr(lacks, "status");
}

const struct processor *processor(void)
{
	return &found;
}
