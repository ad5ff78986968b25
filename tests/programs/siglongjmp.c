/*
 * Leaves signal handlers by siglongjmp, with and without the mask saved, again and again.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf loop_top;

static void on_signal(int number)
{
	siglongjmp(loop_top, number);
}

int main(void)
{
	volatile int jumps = 0;

	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	int number = sigsetjmp(loop_top, 1);
	if (number != 0)
		jumps++;
	if (jumps < 20)
		raise(jumps % 2 ? SIGUSR1 : SIGUSR2);
	printf("jumps %d last signal %d\n", jumps, number);
	return 0;
}
