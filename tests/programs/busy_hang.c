/*
 * Takes and gives a lock as often as its argument says, and is then ended while one thread waits
 * for another. Without an argument these are too many calls for a crash report to follow all of
 * them.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define TIMES 6000

static pthread_mutex_t often = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static volatile int waiting;

static void *wait_for_it(void *unused)
{
	(void)unused;
	waiting = 1;
	pthread_mutex_lock(&held); /* waits */
	return NULL;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : TIMES;
	pthread_t thread;

	for (int i = 0; i < times; i++) {
		pthread_mutex_lock(&often);
		pthread_mutex_unlock(&often);
	}
	pthread_mutex_lock(&held); /* main holds it */
	pthread_create(&thread, NULL, wait_for_it, NULL);
	while (!waiting)
		sched_yield();
	usleep(100000);
	kill(getpid(), SIGTERM);
	pause();
	return 0;
}
