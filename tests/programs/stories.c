/*
 * Calls of functions whose story is known.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct account {
	long balance;
	int moves;
};

long total;
static jmp_buf back;

__attribute__((noipa)) long fee(long amount)
{
	return amount / 100 + 1;
}

__attribute__((noipa)) int book(struct account *account, long amount, long *charged)
{
	long cost = fee(amount);

	if (cost > 5)
		return -1; /* line: refused */
	for (int i = 0; i < 3; i++)
		account->moves += (int)strlen("abc");
	account->balance -= amount + cost;
	*charged = cost;
	total += amount;
	return 7;
}

__attribute__((noipa)) long climb(long n)
{
	long below;

	if (n == 0)
		return 1;
	below = climb(n - 1);
	return n * below;
}

__attribute__((noipa)) long through(long (*function)(long), long by)
{
	long got = function(by);

	return got + 1;
}

__attribute__((noipa)) void jump_out(int how)
{
	if (how)
		longjmp(back, how);
	total++;
}

__attribute__((noipa)) void tries(void)
{
	if (setjmp(back) == 0)
		jump_out(3);
	total += 1000;
}

__attribute__((noipa)) long handed_on(long amount)
{
	total += 5;
	return fee(amount + 1);
}

__attribute__((noipa)) long count_to(long end)
{
	long sum = 0;

	for (long i = 0; i < end; i++)
		sum += i;
	return sum;
}

static void *work(void *end)
{
	for (int i = 0; i < 20; i++)
		count_to((long)end);
	return NULL;
}

__attribute__((noipa)) void last(long *where)
{
	total++;
	*where = 1;
}

int main(void)
{
	struct account account = {1000, 0};
	pthread_t threads[2];
	long charged = 0;

	book(&account, 200, &charged);
	book(&account, 900, &charged);
	climb(4);
	through(fee, 300);
	tries();
	handed_on(199);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 5));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	count_to(12);
	last(NULL);
	printf("%ld\n", total);
	return 0;
}
