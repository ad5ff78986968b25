/*
 * Eight clerks, each a thread, book amounts under a lock, count their customers without one, and
 * take and give back a slip for each. The arguments are the customers of each (50), and "hang":
 * then two of them end up waiting for each other's lock, and all others for one of these.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CLERKS 8

static pthread_mutex_t till = PTHREAD_MUTEX_INITIALIZER, safe = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
static long *ledger; /* on the heap */
static volatile long served;
static int customers = 50, hangs;

__attribute__((noipa)) static void book(long amount)
{
	pthread_mutex_lock(&till);
	*ledger += amount;
	pthread_mutex_unlock(&till);
}

__attribute__((noipa)) static void serve(long clerk, long amount)
{
	char *slip = malloc(16 + (size_t)amount % 200);

	slip[0] = (char)clerk;
	book(amount + slip[0]);
	served++; /* a race */
	free(slip);
}

static void close_down(long me)
{
	pthread_barrier_wait(&all);
	if (me < 2)
		pthread_mutex_lock(me == 0 ? &safe : &till);
	pthread_barrier_wait(&all);
	pthread_mutex_lock(me == 1 ? &safe : &till);
}

static void *work(void *number)
{
	const long me = (long)number;

	for (int i = 0; i < customers; i++)
		serve(me, i);
	if (hangs)
		close_down(me);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[CLERKS];

	customers = argc > 1 ? (int)strtol(argv[1], NULL, 10) : customers;
	hangs = argc > 2;
	ledger = calloc(1, sizeof(*ledger));
	pthread_barrier_init(&all, NULL, CLERKS);
	for (long i = 0; i < CLERKS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < CLERKS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", *ledger);
	return 0;
}
