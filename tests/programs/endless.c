/*
 * Lines that run for a long time: one of three million rounds with a call in each, then one that
 * never ends, so that a recording of it has to be stopped from outside.
 */
#include <signal.h>
#include <unistd.h>

static volatile unsigned sum;

static void add(unsigned number)
{
	sum += number;
}

#define ALL_IN_ONE_LINE(rounds)                                                                    \
	for (unsigned i = 0; i < (rounds); i++)                                                    \
	add(i)

static void turn(void)
{
	ALL_IN_ONE_LINE(3 * 1000 * 1000);
}

static void on_alarm(int number)
{
	(void)number;
	_exit(0);
}

int main(void)
{
	signal(SIGALRM, on_alarm);
	turn();
	alarm(1);
	for (;;)
		add(1);
}
