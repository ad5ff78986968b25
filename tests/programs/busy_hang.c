/*
 * Takes and gives a lock many times, and is then ended while one thread waits for another: too many
 * calls for a crash report to follow all of them.
 */
#include <pthread.h>
#include <signal.h>
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

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&often);
		pthread_mutex_unlock(&often);
	}
	pthread_mutex_lock(&held);
	pthread_create(&thread, NULL, wait_for_it, NULL);
	while (!waiting)
		sched_yield();
	usleep(100000);
	kill(getpid(), SIGTERM);
	pause();
	return 0;
}
