/*
 * A thread that waits while the first one computes for some seconds, and works then.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t computing = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sum;

static void compute(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sum = i;
}

static void *work(void *argument)
{
	pthread_mutex_lock(&computing);
	pthread_mutex_unlock(&computing);
	return argument;
}

int main(void)
{
	pthread_t thread;

	pthread_mutex_lock(&computing);
	if (pthread_create(&thread, NULL, work, NULL) != 0)
		return 1;
	compute(500u * 1000 * 1000);
	pthread_mutex_unlock(&computing);
	pthread_join(thread, NULL);
	printf("%u\n", sum);
	return 0;
}
