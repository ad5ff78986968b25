/*
 * Synchronous signals: raise, kill to itself, a handled division by zero and a handled null
 * dereference that the handler repairs by moving the instruction pointer on.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t raised;
static volatile sig_atomic_t repaired;

static void on_raise(int number)
{
	(void)number;
	raised++;
}

/* The faulting instructions below are two bytes long. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)number;
	(void)info;
	interrupted->uc_mcontext.gregs[REG_RIP] += 2;
	repaired++;
}

int main(void)
{
	struct sigaction fault;

	memset(&fault, 0, sizeof(fault));
	fault.sa_sigaction = on_fault;
	fault.sa_flags = SA_SIGINFO;
	sigaction(SIGFPE, &fault, NULL);
	sigaction(SIGSEGV, &fault, NULL);
	signal(SIGUSR1, on_raise);
	signal(SIGUSR2, on_raise);
	for (int i = 0; i < 3; i++) {
		raise(SIGUSR1);
		kill(getpid(), SIGUSR2);
		__asm__ volatile("xorl %%edx, %%edx; movl $1, %%eax; xorl %%ecx, %%ecx; divl %%ecx"
				 :
				 :
				 : "eax", "ecx", "edx", "cc");
		__asm__ volatile("xorl %%ecx, %%ecx; movl (%%rcx), %%eax" : : : "eax", "ecx", "cc");
	}
	printf("raised %d repaired %d\n", (int)raised, (int)repaired);
	return raised == 6 && repaired == 6 ? 0 : 1;
}
