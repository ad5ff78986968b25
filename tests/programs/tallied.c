/*
 * Variables that change often, from several places: by threads, in a handler of a timer's signals,
 * by the kernel, by functions of libc, by string instructions, by stores that are wider than they
 * are, through a segment, back and forth between few values, and at places that come late. An
 * argument is the number of rounds (150), a second one leaves the timer out; `counter` leaves all
 * out but one variable.
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

#define ALONE __attribute__((aligned(32))) /* so that the bytes behind it stay as they are */

static ALONE volatile int turns;   /* by all threads and the handler */
static ALONE volatile char flag;   /* 0 and 1, from four places; the last two come late */
static ALONE volatile int counter; /* by two places, and once at the end by another */
static ALONE int received;	   /* by the kernel, and by the program */
static ALONE int mixed;		   /* by memset and memcpy, and by the program */
static ALONE struct {
	short left, middle, rest, right;
} wide;				  /* also in one store */
static ALONE volatile short lone; /* by the child's copy too */
static ALONE volatile int alone;  /* grows by one */
static ALONE struct {
	volatile int cells[8]; /* the last one is also a string instruction's last store */
	char unused[32];
} row;
static _Thread_local volatile int own[2];
static ALONE char end[32];
static int rounds = 150;

static void on_alarm(int signal)
{
	(void)signal;
	turns++; /* handler */
	alarms_seen();
}

static void *work(void *argument)
{
	for (int i = 0; i < rounds; i++)
		turns++; /* worker */
	return argument;
}

__attribute__((noinline)) static void set_flag(void)
{
	flag = 1;
}

__attribute__((noinline)) static void clear_flag(void)
{
	flag = 0;
}

static void toggle(void)
{
	for (int i = 0; i < rounds; i++) {
		set_flag();
		flag = 1; /* again */
		clear_flag();
	}
	for (int i = 0; i < rounds / 10; i++) {
		flag = !flag; /* late */
		if (flag)
			flag = 0; /* later */
	}
}

static void count(void)
{
	for (int i = 0; i < 2 * rounds; i++) {
		counter++;
		if (i % 3 == 0)
			counter += 2;
	}
	counter = -1; /* once */
}

static void receive(void)
{
	int ends[2];

	if (pipe(ends) != 0)
		exit(1);
	for (int i = 0; i < rounds; i++) {
		int sent = i % 5;

		received = i % 4;
		if (i % 10 == 0 && (write(ends[1], &sent, sizeof(sent)) != sizeof(sent) ||
				       read(ends[0], &received, sizeof(received)) !=
					   sizeof(received))) /* received */
			exit(1);
		received = -i;
	}
}

static void mix(void)
{
	volatile size_t size = sizeof(mixed);
	int value;

	for (int i = 0; i < rounds; i++) {
		memset(&mixed, i % 200, size);
		value = i;
		memcpy(&mixed, &value, size);
		mixed++;
	}
}

static void store_wide(void)
{
	const long zero = 0;

	for (int i = 0; i < 2 * rounds; i++) {
		long all;

		wide.left++;
		wide.middle = (short)(i / 2);
		wide.right--;
		memcpy(&all, &wide, sizeof(all));
		__asm__ volatile("mov %1, %0" : "=m"(wide) : "r"(all)); /* changes nothing */
		if (i % 5 == 0)
			__asm__ volatile("mov %1, %0" : "=m"(wide) : "r"(zero));
	}
}

static void fill(void)
{
	for (int i = 0; i < 2 * rounds; i++) {
		volatile int *to = row.cells;
		long count = sizeof(row.cells) / sizeof(*to);

		__asm__ volatile("rep stosl" : "+D"(to), "+c"(count) : "a"(i) : "memory");
		row.cells[7] = -1;
		own[0] = row.cells[7] - i;
	}
}

static void fork_one(void)
{
	pid_t child = fork();

	for (int i = 0; i < rounds; i++)
		lone++;
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	for (int i = 0; i < rounds; i++)
		lone--;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	rounds = argc > 1 ? atoi(argv[1]) : rounds;
	for (int i = 0; i < rounds; i++)
		alone++;
	if (argc > 2 && strcmp(argv[2], "counter") == 0)
		return end[0];
	signal(SIGALRM, on_alarm);
	if (argc < 3)
		alarms_begin(1000, 60);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	if (argc < 3)
		alarms_begin(1000, 60);
	toggle();
	count();
	receive();
	mix();
	store_wide();
	fill();
	fork_one();
	printf("%d %d\n", counter, turns);
	return 0;
}
