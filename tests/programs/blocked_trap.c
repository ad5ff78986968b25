/*
 * A program that uses what debuggers use: it has an int3 of its own, and blocks SIGTRAP for a
 * while, and still has its handler afterwards.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>

static volatile int breakpoints, asked;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_code == SI_KERNEL)
		breakpoints++;
	else
		asked++;
}

static unsigned compute(unsigned n)
{
	unsigned value = n;

	for (unsigned i = 0; i < 1000; i++)
		value = value & 1 ? value * 3 + 1 : value / 2 + n;
	return value;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	sigset_t trap, before;
	unsigned value;

	sigaction(SIGTRAP, &action, NULL);
	value = compute(7);
	__asm__ volatile("int3");
	value += compute(8);
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, NULL);
	value += compute(9);
	sigprocmask(SIG_BLOCK, NULL, &before);
	value += compute(10);
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
	raise(SIGTRAP);
	__asm__ volatile("int3");
	printf("int3 %d asked %d blocked %d value %u\n", breakpoints, asked,
	    sigismember(&before, SIGTRAP), value);
	return 0;
}
