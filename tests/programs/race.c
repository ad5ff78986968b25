/*
 * A race: two threads add to one counter without a lock, yielding between the read and the write,
 * so that updates are lost. Exits 1 when some were.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define ADDITIONS 50

static int balance;

static void deposit(int amount)
{
	int seen = balance;

	if (seen % 5 == 4)
		sched_yield();
	balance = seen + amount;
}

static void *pay_in(void *unused)
{
	for (int i = 0; i < ADDITIONS; i++)
		deposit(1);
	return unused;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, pay_in, NULL);
	pay_in(NULL);
	pthread_join(other, NULL);
	printf("balance %d of %d\n", balance, 2 * ADDITIONS);
	return balance != 2 * ADDITIONS;
}
