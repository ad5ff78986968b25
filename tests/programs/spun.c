/*
 * A loop of two instructions, until signals have interrupted it several times. `rounds` says how
 * often it was entered.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <ucontext.h>

#define SIGNALS	  5
#define PER_ROUND 100

void spin(long count);
__asm__(".globl spin, spin_first, spin_second\n\t"
	".type spin, @function\n\t"
	".type spin_first, @function\n\t"
	".type spin_second, @function\n"
	"spin:\n\tnop\n"
	"spin_first:\n\tdec %rdi\n"
	"spin_second:\n\tjnz spin_first\n\tret\n");

volatile long rounds, met[2], fired = 1;

extern const char spin_first[], spin_second[];

/* Counts the signals that meet the loop: what they interrupted is in the third argument. */
static void on_alarm(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	long pc = (long)interrupted->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	(void)info;
	fired = 1;
	met[0] += pc == (long)spin_first;
	met[1] += pc == (long)spin_second;
}

int main(void)
{
	const struct itimerval timer = {{0, 0}, {0, 250}};
	struct sigaction action = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO};

	sigaction(SIGALRM, &action, NULL);
	while (met[0] + met[1] < SIGNALS) {
		/* The next only when the last has come, or a slow recording would do nothing else.
		 */
		if (fired) {
			fired = 0;
			setitimer(ITIMER_REAL, &timer, NULL);
		}
		spin(PER_ROUND);
		rounds++;
	}
	printf("%ld rounds, %ld and %ld signals\n", rounds, met[0], met[1]);
	return 0;
}
