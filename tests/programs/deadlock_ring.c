/*
 * Threads that wait for each other in a ring: "mutexes" with three locks, "readers" with two
 * rwlocks that each of two threads holds for reading. main joins them and hangs.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t forks[3] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t red = PTHREAD_RWLOCK_INITIALIZER, blue = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t all;

static void *dine(void *number)
{
	int left = (int)(long)number, right = (left + 1) % 3;

	pthread_mutex_lock(&forks[left]); /* the first fork */
	pthread_barrier_wait(&all);
	pthread_mutex_lock(&forks[right]); /* the second fork */
	return NULL;
}

static void *read_and_write(void *number)
{
	pthread_rwlock_t *mine = number ? &red : &blue, *other = number ? &blue : &red;

	pthread_rwlock_rdlock(mine); /* the page that it reads */
	pthread_barrier_wait(&all);
	pthread_rwlock_wrlock(other);
	return NULL;
}

int main(int argc, char **argv)
{
	int readers = argc > 1 && strcmp(argv[1], "readers") == 0, count = readers ? 2 : 3;
	pthread_t threads[3];

	printf("they begin\n");
	fflush(stdout);
	pthread_barrier_init(&all, NULL, (unsigned)count);
	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, readers ? read_and_write : dine, (void *)i);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
