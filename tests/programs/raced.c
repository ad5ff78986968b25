/*
 * Two threads. At first each has a byte of its own, beside the other's. Then both write one name
 * on the heap, with memcpy. Then one writes a sum that the other reads.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 20

struct box {
	long id;
	char name[40];
};

static pthread_barrier_t phase;
static char own[16];
static struct box *box;
static struct {
	long first, second;
} sums;

static void use_own(long me)
{
	for (int i = 0; i < ROUNDS; i++)
		own[me]++;
}

static void name_box(long me)
{
	static volatile size_t length = 40; /* so that the compiler calls memcpy */
	char name[40];

	memset(name, 'a' + (char)me, sizeof(name));
	memcpy(box->name, name, length); /* named */
}

static void add_up(long me)
{
	if (me == 0)
		sums.first = 1, sums.second += 5; /* added */
	else
		printf("%ld\n", sums.first + sums.second); /* shown */
}

static void *work(void *number)
{
	const long me = (long)number;

	use_own(me);
	pthread_barrier_wait(&phase);
	name_box(me);
	pthread_barrier_wait(&phase);
	add_up(me);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	box = calloc(1, sizeof(*box));
	pthread_barrier_init(&phase, NULL, 2);
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%s %d\n", box->name[0] ? "named" : "", own[0] + own[1]);
	free(box);
	return 0;
}
