/*
 * Fifty threads that compute, take turns on a lock, and end at different times.
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 50, ROUNDS = 40 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;

static void *work(void *argument)
{
	unsigned long n = (unsigned long)argument, value = n;

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < 200 + n; i++)
			value = value & 1 ? value * 3 + 1 : value / 2 + n;
		pthread_mutex_lock(&lock);
		total += value & 0xff;
		pthread_mutex_unlock(&lock);
	}
	return (void *)value;
}

int main(void)
{
	pthread_t thread[THREADS];

	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%lu\n", total);
	return 0;
}
