/*
 * Variables that are written often: by threads, in a handler of a timer's signals, by a forked
 * child to its own copies, by the kernel, by string instructions, and together with neighbours. An
 * argument is the number of rounds of `tally` (150), and a second
 * one leaves the timer out.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "alarms.h"

#define THREADS 3
#define ROUNDS	60

static volatile int tally;	 /* grows by one */
static volatile int waves;	 /* 0 to 6, again and again */
static volatile int alarms;	 /* by the handler */
static volatile int turns;	 /* by all threads */
static volatile short halves[4]; /* neighbours in one word */
static int filled;		 /* by read */
static unsigned char copied[16]; /* by string instructions */
static volatile double ratio;

static void on_alarm(int signal)
{
	(void)signal;
	alarms++; /* alarms */
	turns++;
	alarms_seen();
}

static void *work(void *argument)
{
	for (int i = 0; i < ROUNDS; i++)
		turns++; /* turns */
	return argument;
}

__attribute__((noinline)) static void write_often(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		tally = tally + 1; /* tally */
		waves = i % 7;
		halves[i % 4] = (short)i;
		ratio = i / 2.0;
	}
}

static void copy_bytes(unsigned char first)
{
	unsigned char from[sizeof(copied)];
	const void *source = from;
	void *to = copied;
	unsigned long count = sizeof(copied);

	memset(from, first, sizeof(from));
	from[9] = (unsigned char)(first + 9);
	__asm__ volatile("rep movsb" : "+S"(source), "+D"(to), "+c"(count) : : "memory");
	to = copied;
	count = sizeof(copied) / 8;
	__asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"((long)first) : "memory");
}

static void fill(void)
{
	int ends[2];

	if (pipe(ends) != 0)
		exit(1);
	for (int i = 0; i < ROUNDS; i++) {
		if (write(ends[1], &i, sizeof(i)) != sizeof(i) ||
		    read(ends[0], &filled, sizeof(filled)) != sizeof(filled)) /* filled */
			exit(1);
		filled = -i;
	}
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	pid_t child;

	signal(SIGALRM, on_alarm);
	if (argc < 3)
		alarms_begin(1000, 40);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	child = fork();
	if (child == 0) {
		write_often(100000);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (argc < 3)
		alarms_begin(1000, 40);
	write_often(argc > 1 ? atoi(argv[1]) : 150);
	for (int i = 31; i < 37; i++) /* each hit in a string instruction takes long */
		copy_bytes((unsigned char)(2 * i));
	fill();
	printf("%d\n", tally);
	return 0;
}
