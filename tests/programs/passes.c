/*
 * Passes of functions to count: in threads, in a handler of a timer's signals, in a forked child
 * before it runs another program, in deep recursion, and of instructions that jump.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "alarms.h"

#define THREADS 3
#define ROUNDS	30
#define DEPTH	50

static volatile long sum;

__attribute__((noinline)) void ping(int number)
{
	sum += number; /* ping */
}

__attribute__((noinline)) long deep(int depth)
{
	return depth > 0 ? 1 + deep(depth - 1) : 0; /* deep */
}

/* Its first instruction is a return, its second function's a jump. */
__attribute__((naked, noinline)) void returns(void)
{
	__asm__("ret");
}

__attribute__((naked, noinline)) void jumps(void)
{
	__asm__("jmp returns");
}

static void on_alarm(int signal)
{
	(void)signal;
	ping(-1);
	alarms_seen();
}

static void *work(void *argument)
{
	for (int i = 0; i < ROUNDS; i++) {
		ping(i);
		jumps();
	}
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	pid_t child;

	(void)argc;
	signal(SIGALRM, on_alarm);
	alarms_begin(2000, 25);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	alarms_begin(2000, 25);
	child = fork();
	for (int i = 0; i < ROUNDS; i++)
		ping(i);
	if (child == 0) {
		execl("/bin/true", argv[0], NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	printf("%ld\n", deep(DEPTH) + sum * 0);
	return 0;
}
