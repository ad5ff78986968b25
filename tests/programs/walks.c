/*
 * A program for the oracle's random walks: threads, children or signals that all write the same few
 * variables in a known number of rounds, in each of the ways that memory is written. What they
 * write depends on who writes and when, so that no two moments look the same. It is built in three
 * ways.
 *
 *	walks threads N | walks forks N | walks signals N
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "alarms.h"

#define THREADS_MAX 16
#define ROUNDS	    6
#define ALARMS	    100

static volatile long value;
static struct {
	unsigned low : 4, high : 12;
} field;
static char text[32];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A function of its own, with its arguments, however it is optimised. */
#define APART __attribute__((noinline))

APART static void set_value(long to)
{
	value = to;
}

/* Bytes that a string instruction or a vector one writes. */
APART static void set_text(int who, int round)
{
	memset(text, 'a' + who, sizeof(text));
	if (round % 2)
		memcpy(text + 8, "12345678", 8);
}

APART static void touch(int who, int round)
{
	long seen = value;

	set_value(seen + 1 + who);
	if (round % 3 == 0)
		set_value(value); /* the same once more: no change */
	field.low = (unsigned)round;
	if (round % 4 == 0)
		field.high++;
	if (round % 5 == 0)
		set_text(who, round);
}

static void *work(void *argument)
{
	int who = *(int *)argument;

	for (int round = 0; round < ROUNDS; round++) {
		if (round % 2)
			pthread_mutex_lock(&lock);
		touch(who, round);
		if (round % 2)
			pthread_mutex_unlock(&lock);
		else
			sched_yield();
	}
	return NULL;
}

static int run_threads(int count)
{
	pthread_t threads[THREADS_MAX];
	int numbers[THREADS_MAX];

	for (int i = 0; i < count; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	}
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* Each child works and has a child of its own. */
static int run_forks(int depth)
{
	int status = 0;
	pid_t child = depth ? fork() : 0;

	if (depth && child == 0)
		_exit(run_forks(depth - 1));
	work(&depth);
	if (child > 0)
		waitpid(child, &status, 0);
	work(&depth);
	return WEXITSTATUS(status);
}

static void on_signal(int number)
{
	if (number == SIGALRM)
		alarms_seen();
	touch(number % 10, (int)(value % 7));
}

/* Signals that the program sends itself, and a timer's, which come anywhere. */
static int run_signals(int count)
{
	struct sigaction action = {.sa_handler = on_signal};
	volatile unsigned long spins = 0;
	int who = 1;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	alarms_begin(2000, ALARMS);
	for (int i = 0; i < count; i++) {
		raise(SIGUSR1);
		work(&who);
		for (int spin = 0; spin < 50000; spin++)
			spins++;
	}
	alarms_end();
	return 0;
}

int main(int argc, char *argv[])
{
	int count = argc > 2 ? atoi(argv[2]) : 2;

	if (argc > 1 && strcmp(argv[1], "forks") == 0)
		run_forks(count);
	else if (argc > 1 && strcmp(argv[1], "signals") == 0)
		run_signals(count);
	else
		run_threads(count < THREADS_MAX ? count : THREADS_MAX);
	printf("value %ld field %u %u text %.32s\n", value, field.low, field.high, text);
	return 0;
}
