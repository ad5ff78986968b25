/*
 * A program that uses what debuggers use: it has an int3 of its own, and blocks SIGTRAP for a
 * while, and still has its handler afterwards. It sends itself SIGTRAPs that have to wait until it
 * asks for one, and until it lets the others come.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int breakpoints, asked, sent;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_code == SI_KERNEL)
		breakpoints++;
	else if (info->si_code == SI_TKILL)
		asked++;
	else if (info->si_code == SI_USER && info->si_pid == getpid())
		sent++;
}

static unsigned compute(unsigned n)
{
	unsigned value = n;

	for (unsigned i = 0; i < 1000; i++)
		value = value & 1 ? value * 3 + 1 : value / 2 + n;
	return value;
}

/* With SIGTRAP blocked: one waits while the program computes, and is fetched; two wait for the end.
 */
static unsigned let_them_wait(const sigset_t *trap)
{
	sigset_t waiting;
	unsigned value;

	raise(SIGTRAP);
	value = compute(11);
	sigpending(&waiting);
	value += sigismember(&waiting, SIGTRAP) == 1;
	value += (unsigned)sigwaitinfo(trap, NULL);
	kill(getpid(), SIGTRAP);
	value += compute(12);
	raise(SIGTRAP);
	return value + compute(13);
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
	value += let_them_wait(&trap);
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
	raise(SIGTRAP);
	__asm__ volatile("int3");
	printf("int3 %d asked %d sent %d blocked %d value %u\n", breakpoints, asked, sent,
	    sigismember(&before, SIGTRAP), value);
	return 0;
}
