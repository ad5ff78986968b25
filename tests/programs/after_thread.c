/*
 * A thread works and ends; then the first one computes for some seconds without a system call.
 */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned sum;

static void *work(void *argument)
{
	sum = 1;
	return argument;
}

static void compute(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sum += i;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
		return 1;
	compute(1500u * 1000 * 1000);
	printf("%u\n", sum);
	return 0;
}
