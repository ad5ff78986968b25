/*
 * Asynchronous signals: an interval timer interrupts a loop at points that only the recording
 * knows; the replay has to deliver each at the same branch.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define ALARMS 5

static volatile sig_atomic_t alarms;
static volatile unsigned long spins;
static unsigned long spins_at[ALARMS];

static void on_alarm(int number)
{
	(void)number;
	if (alarms < ALARMS)
		spins_at[alarms] = spins;
	alarms++;
}

int main(void)
{
	struct itimerval every = {{0, 20000}, {0, 20000}};
	struct itimerval never = {{0, 0}, {0, 0}};

	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &every, NULL);
	while (alarms < ALARMS)
		spins++;
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < ALARMS; i++)
		printf("alarm %d after %lu spins\n", i, spins_at[i]);
	return 0;
}
