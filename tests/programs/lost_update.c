/*
 * A lost update that always happens: one clerk reads the balance, another one changes it, and then
 * the first writes what it had computed from the value it had read. Exits with status 1.
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	pthread_mutex_t lock;
	long balance;
} account = {PTHREAD_MUTEX_INITIALIZER, 100};

static pthread_barrier_t read_it, changed_it;

static long look(void)
{
	long seen;

	pthread_mutex_lock(&account.lock);
	seen = account.balance;
	pthread_mutex_unlock(&account.lock);
	return seen;
}

static void store(long value)
{
	pthread_mutex_lock(&account.lock);
	account.balance = value;
	pthread_mutex_unlock(&account.lock);
}

static void *slow_clerk(void *amount)
{
	long seen = look(); /* the lock is given up between this and the store */

	pthread_barrier_wait(&read_it);
	pthread_barrier_wait(&changed_it);
	store(seen + (long)amount);
	return NULL;
}

static void *quick_clerk(void *amount)
{
	pthread_barrier_wait(&read_it);
	store(look() + (long)amount);
	pthread_barrier_wait(&changed_it);
	return NULL;
}

int main(void)
{
	pthread_t slow, quick;

	pthread_barrier_init(&read_it, NULL, 2);
	pthread_barrier_init(&changed_it, NULL, 2);
	pthread_create(&slow, NULL, slow_clerk, (void *)10);
	pthread_create(&quick, NULL, quick_clerk, (void *)50);
	pthread_join(slow, NULL);
	pthread_join(quick, NULL);
	printf("balance %ld, not 160\n", account.balance);
	return account.balance != 160;
}
