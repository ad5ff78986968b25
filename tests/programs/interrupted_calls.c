/*
 * System calls that signals interrupt: short ones by the thousand under a fast timer, and reads of
 * a pipe that block until another thread writes. After each call it takes a sum of the stack below
 * its own, where what the calls left behind lies, so that nothing may be there in a replay that was
 * not there in the recording. Its argument is the number of the short ones.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { CALLS = 3000, BELOW = 1024, MESSAGES = 10, ALARMS = 100 };

static volatile int alarms;
static int ends[2];

static void on_alarm(int signal)
{
	static const struct itimerval never = {{0, 0}, {0, 0}};

	(void)signal;
	if (++alarms % ALARMS == 0) /* or a slow recorder is never done */
		setitimer(ITIMER_REAL, &never, NULL);
}

static void *writer(void *nothing)
{
	char byte = 'x';

	for (int i = 0; i < MESSAGES; i++) {
		usleep(2000);
		if (write(ends[1], &byte, 1) != 1)
			break;
		byte++;
	}
	close(ends[1]);
	return nothing;
}

/* The words below this function's frame, addresses and all. */
__attribute__((noinline)) static uint64_t sum_below(uint64_t sum)
{
	const volatile uint64_t *frame = __builtin_frame_address(0);

	for (int i = 16; i < BELOW / 8; i++)
		sum = (sum << 1 | sum >> 63) + frame[-i];
	return sum;
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : CALLS;
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval fast = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	char buffer[64];
	uint64_t sum = 0;
	int zero = open("/dev/zero", O_RDONLY), interrupted = 0, got = 0;
	pthread_t thread;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &fast, NULL);
	for (int i = 0; i < calls; i++) {
		if (read(zero, buffer, sizeof buffer) != sizeof buffer)
			return 1;
		if (i % 16 == 0)
			sum = sum_below(sum);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	if (pipe(ends) != 0 || pthread_create(&thread, NULL, writer, NULL) != 0)
		return 1;
	fast = (struct itimerval){{0, 20000}, {0, 20000}};
	setitimer(ITIMER_REAL, &fast, NULL);
	for (ssize_t n = 1; n != 0;) {
		n = read(ends[0], buffer, 1);
		interrupted += n < 0 && errno == EINTR;
		got += n > 0;
		sum = sum_below(sum);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	pthread_join(thread, NULL);
	printf("got %d, sum %llx, alarms %d, interrupted %d\n", got, (unsigned long long)sum,
	    alarms, interrupted);
	return 0;
}
