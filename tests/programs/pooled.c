/*
 * Two threads get the same memory, one after the other.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

long *last[2];

static void *use(void *number)
{
	long *mine = malloc(200);

	mine[5] = (long)number; /* the write */
	last[(long)number] = mine;
	free(mine);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, (void *)i);
	for (long i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%s\n", last[0] == last[1] ? "the same" : "others");
	return 0;
}
