/*
 * Threads that hold locks and wait for them while main looks, twice. Some are given up and taken
 * between the two.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

enum { READERS = 2, WAITERS = 3 };

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER,
		       third = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t pages = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t slots;
static int is_ready, over;

/* The tests stop here. */
APART void looked(void)
{
	__asm__ volatile("");
}

APART void settle(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

APART void hold_left(void)
{
	pthread_mutex_lock(&left); /* the keeper's */
}

static void *keeper(void *unused)
{
	hold_left();
	while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
		settle();
	pthread_mutex_unlock(&left);
	return unused;
}

static void *waiter(void *unused)
{
	pthread_mutex_lock(&left); /* a waiter's */
	pthread_mutex_unlock(&left);
	return unused;
}

static void *reader(void *unused)
{
	pthread_rwlock_rdlock(&pages); /* a reader's */
	sem_wait(&slots);	       /* a slot */
	pthread_rwlock_unlock(&pages);
	return unused;
}

static void *writer(void *unused)
{
	pthread_rwlock_wrlock(&pages); /* the writer's */
	pthread_rwlock_unlock(&pages);
	return unused;
}

static void *sleeper(void *unused)
{
	pthread_mutex_lock(&gate);
	while (!is_ready)
		pthread_cond_wait(&ready, &gate); /* the sleeper's */
	pthread_mutex_unlock(&gate);
	return unused;
}

/* It ends with a lock that nobody gives up. */
static void *leaver(void *unused)
{
	pthread_mutex_lock(&third); /* the leaver's */
	return unused;
}

static pthread_t threads[16];
static int thread_count;

static void begin(void *(*what)(void *))
{
	if (pthread_create(&threads[thread_count++], NULL, what, NULL) != 0)
		abort();
	settle();
}

APART void swap_locks(void)
{
	pthread_mutex_unlock(&right);
	pthread_spin_lock(&spin); /* main's second */
}

static void end_all(void)
{
	pthread_mutex_lock(&gate);
	is_ready = 1;
	pthread_cond_broadcast(&ready);
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < READERS; i++)
		sem_post(&slots);
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "none") == 0) {
		looked();
		return 0;
	}
	for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
		pthread_mutex_lock(&right);
		pthread_mutex_unlock(&right);
	}
	sem_init(&slots, 0, 0);
	pthread_spin_init(&spin, 0);
	pthread_mutex_lock(&right); /* main's first */
	begin(keeper);
	looked();
	for (int i = 0; i < WAITERS; i++)
		begin(waiter);
	for (int i = 0; i < READERS; i++)
		begin(reader);
	begin(writer);
	begin(sleeper);
	begin(sleeper);
	begin(leaver);
	swap_locks();
	looked();
	pthread_spin_unlock(&spin);
	end_all();
	return 0;
}
