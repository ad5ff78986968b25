/*
 * Signals of other numbers come in every way, most of them while SIGTRAP is blocked: by the
 * program, by a handler, or by a recorder that holds a signal back until a call is over. The
 * program's handler of SIGTRAP is still there after each.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned traps, others, value = 1;

static void on_trap(int signal)
{
	(void)signal;
	traps++;
}

static void compute(void)
{
	for (unsigned i = 0; i < 1000; i++)
		value = value & 1 ? value * 3 + 1 : value / 2 + i;
}

static void on_other(int signal)
{
	(void)signal;
	others++;
	compute();
}

static void write_to_nobody(void)
{
	int ends[2];

	if (pipe(ends) != 0)
		_exit(2);
	close(ends[0]);
	if (write(ends[1], "x", 1) == 1)
		_exit(3);
	close(ends[1]);
}

static void wait_for_alarm(void)
{
	struct itimerval soon = {.it_value = {.tv_usec = 2000}};
	sigset_t alarm, before;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, &before);
	setitimer(ITIMER_REAL, &soon, NULL);
	sigdelset(&before, SIGALRM);
	sigsuspend(&before);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
}

/* SIGCHLD's default is to be ignored. */
static void end_a_child(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void ignore_urgent(void)
{
	kill(getpid(), SIGURG);
}

static void raise_user(void)
{
	raise(SIGUSR1);
	kill(getpid(), SIGUSR1);
}

static void set_handlers(void)
{
	static const int numbers[] = {SIGPIPE, SIGALRM, SIGUSR1};
	struct sigaction action = {.sa_handler = on_other};

	sigfillset(&action.sa_mask);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
	action.sa_handler = on_trap;
	sigaction(SIGTRAP, &action, NULL);
}

int main(void)
{
	static void (*const ways[])(void) = {
	    write_to_nobody, wait_for_alarm, end_a_child, ignore_urgent, raise_user};
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	set_handlers();
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		ways[i]();
		compute();
		raise(SIGTRAP);
		sigprocmask(SIG_BLOCK, &trap, NULL);
		compute();
		ways[i]();
		compute();
		sigprocmask(SIG_UNBLOCK, &trap, NULL);
		raise(SIGTRAP);
		__asm__ volatile("int3");
		printf("way %u: traps %u, others %u, value %u\n", i, traps, others, value);
		fflush(stdout);
	}
	return 0;
}
