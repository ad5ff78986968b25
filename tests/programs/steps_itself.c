/*
 * A program that steps itself: it sets the trap flag and counts the SIGTRAPs that come. It sets the
 * flag with popf, or in the flags that a handler's return restores.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100

static volatile int steps;

static void on_trap(int signal)
{
	(void)signal;
	steps++;
}

/* Returns with the trap flag set. */
static void on_user(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void set_by_popf(void)
{
	__asm__ volatile("sub $128, %%rsp; pushf; orl %0, (%%rsp); popf; add $128, %%rsp"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
}

static void clear_by_popf(void)
{
	__asm__ volatile("sub $128, %%rsp; pushf; andl %0, (%%rsp); popf; add $128, %%rsp"
			 :
			 : "i"(~TRAP_FLAG)
			 : "memory", "cc");
}

int main(int argc, char **argv)
{
	struct sigaction user = {.sa_sigaction = on_user, .sa_flags = SA_SIGINFO};
	unsigned value = 7;

	signal(SIGTRAP, on_trap);
	sigaction(SIGUSR1, &user, NULL);
	if (argc > 1 && strcmp(argv[1], "return") == 0)
		raise(SIGUSR1);
	else
		set_by_popf();
	for (int i = 0; i < 100; i++)
		value = value & 1 ? value * 3 + 1 : value / 2;
	clear_by_popf();
	printf("%s, value %u\n", steps > 300 ? "stepped" : "not stepped", value);
	return 0;
}
