/*
 * Two threads that always take two locks in opposite order, and a third that waits for a
 * condition that nobody brings about. main joins them and hangs.
 */
#include <pthread.h>
#include <stdio.h>

struct account {
	pthread_mutex_t lock;
	long balance;
};

static struct account left = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account right = {PTHREAD_MUTEX_INITIALIZER, 100};
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;

static void transfer(struct account *from, struct account *to, long amount)
{
	pthread_mutex_lock(&from->lock);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&to->lock);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *give(void *argument)
{
	transfer(&left, &right, (long)argument);
	return NULL;
}

static void *take(void *argument)
{
	transfer(&right, &left, (long)argument);
	return NULL;
}

static void *wait_outside(void *argument)
{
	pthread_mutex_lock(&door);
	pthread_cond_wait(&opened, &door);
	pthread_mutex_unlock(&door);
	return argument;
}

int main(void)
{
	pthread_t threads[3];

	printf("transfers begin\n");
	fflush(stdout);
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&threads[0], NULL, wait_outside, NULL);
	pthread_create(&threads[1], NULL, give, (void *)10);
	pthread_create(&threads[2], NULL, take, (void *)20);
	for (int i = 1; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
