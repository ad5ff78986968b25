/* Three threads that compute for about a second, without a system call: rr takes turns with them.
 */
#include <pthread.h>
#include <stdio.h>

#define THREADS 3
#define ROUNDS	40000000L

static void *spin(void *argument)
{
	volatile long *sum = argument;

	for (long i = 0; i < ROUNDS; i++)
		*sum += i;
	return NULL;
}

int main(void)
{
	static volatile long sums[THREADS];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, spin, (void *)&sums[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", sums[0] + sums[1] + sums[2]);
	return 0;
}
