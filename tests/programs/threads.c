/*
 * Threads: creation, a mutex and condition variable handed round, thread-local storage, barriers
 * and joining.
 */
#include <pthread.h>
#include <stdio.h>

#define WORKERS 4
#define ROUNDS	5

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t start;
static int turn;
static int total;
static __thread int mine;

static void *take_turns(void *argument)
{
	int number = *(int *)argument;

	pthread_barrier_wait(&start);
	for (int round = 0; round < ROUNDS; round++) {
		pthread_mutex_lock(&lock);
		while (turn % WORKERS != number)
			pthread_cond_wait(&turn_changed, &lock);
		turn++;
		mine += number;
		total += number;
		pthread_cond_broadcast(&turn_changed);
		pthread_mutex_unlock(&lock);
	}
	return mine == ROUNDS * number ? NULL : argument;
}

int main(void)
{
	pthread_t workers[WORKERS];
	int numbers[WORKERS];
	int wrong = 0;

	pthread_barrier_init(&start, NULL, WORKERS);
	for (int i = 0; i < WORKERS; i++) {
		numbers[i] = i;
		pthread_create(&workers[i], NULL, take_turns, &numbers[i]);
	}
	for (int i = 0; i < WORKERS; i++) {
		void *result;
		pthread_join(workers[i], &result);
		wrong += result != NULL;
	}
	printf("turns %d total %d wrong %d\n", turn, total, wrong);
	return wrong;
}
