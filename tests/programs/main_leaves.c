/*
 * The main thread ends first. The next one then starts two more, one after the other, which count
 * without a lock what each has done, and write a byte behind a block. The argument is how often
 * each counts (30000).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t first;
static volatile long counted;
static long times = 30000;

static void *count(void *argument)
{
	char *block = malloc(24);

	for (long i = 0; i < times; i++)
		counted++;
	block[24] = 1;
	free(block);
	return argument;
}

static void *go_on(void *argument)
{
	pthread_t thread;

	pthread_join(first, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, count, NULL);
		pthread_join(thread, NULL);
	}
	printf("%ld\n", counted);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t next;

	times = argc > 1 ? strtol(argv[1], NULL, 10) : times;
	first = pthread_self();
	pthread_create(&next, NULL, go_on, NULL);
	pthread_exit(NULL);
}
