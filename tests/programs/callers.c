/*
 * Calls of one function from many places: by threads, in a handler of a timer's signals, in a
 * forked child, from qsort and through a pointer, in recursion, from an inlined function, and from
 * more places than most functions have. The arguments are rounds of the loops (30), and "quiet":
 * without the timer.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "alarms.h"

#define THREADS 3
#define TEN(...)                                                                                   \
	__VA_ARGS__;                                                                               \
	__VA_ARGS__;                                                                               \
	__VA_ARGS__;                                                                               \
	__VA_ARGS__;                                                                               \
	__VA_ARGS__;                                                                               \
	__VA_ARGS__;                                                                               \
	__VA_ARGS__;                                                                               \
	__VA_ARGS__;                                                                               \
	__VA_ARGS__;                                                                               \
	__VA_ARGS__

static volatile long sum;
static int rounds = 30;

__attribute__((noinline)) void called(int by)
{
	char room[80];

	room[by & 15] = (char)by;
	sum += by + room[by & 15];
}

static inline __attribute__((always_inline)) void inlined(int by)
{
	called(by);
}

static void on_alarm(int signal)
{
	called(signal);
	alarms_seen();
}

static int compare(const void *one, const void *other)
{
	called(2);
	return *(const int *)one - *(const int *)other;
}

static void sort(void)
{
	int numbers[20];

	for (int i = 0; i < 20; i++)
		numbers[i] = i * 7 % 23;
	qsort(numbers, 20, sizeof(*numbers), compare);
}

static void descend(int depth)
{
	called(depth);
	if (depth > 0)
		descend(depth - 1);
	called(-depth);
}

static void *work(void *argument)
{
	void (*volatile pointer)(int) = called;

	for (int i = 0; i < rounds; i++) {
		called(i);
		if (i % 3 == 0)
			pointer(i);
		inlined(i);
	}
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	pid_t child;

	rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : rounds;
	signal(SIGALRM, on_alarm);
	if (argc <= 2)
		alarms_begin(3000, 60);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	if (argc <= 2)
		alarms_begin(3000, 60);
	child = fork();
	for (int i = 0; i < rounds; i++)
		called(i);
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	sort();
	descend(20);
	TEN(TEN(called(5)));
	called(6); /* once */
	printf("%ld\n", sum);
	return 0;
}
