/*
 * Two threads that wait in the same system call, one entered after the other: of each round, the
 * second one's call begins while the first one waits, and ends when the first one waits again. The
 * line of the call begins at `call`; the threads are gone at `over`.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define APART  __attribute__((noinline))
#define ROUNDS 3

static int pipes[2][2];
static volatile int waits[2]; /* so many times has each begun to wait */
volatile int got[2];

APART static void take(int who)
{
	char byte;
	long taken;

	waits[who]++;
	__asm__ volatile("syscall"
			 : "=a"(taken)
			 : "a"(SYS_read), "D"(pipes[who][0]), "S"(&byte), "d"(1)
			 : "rcx", "r11", "memory");
	if (taken != 1)
		_exit(1);
}

static void *work(void *argument)
{
	int who = *(int *)argument;

	for (int i = 0; i < ROUNDS; i++) {
		__asm__(".globl call\ncall:");
		take(who);
		got[who]++;
	}
	return NULL;
}

static void await(volatile int *number, int least)
{
	while (*number < least)
		sched_yield();
}

/* All of both threads' lives. */
APART static int hand_over(void)
{
	static int first = 0, second = 1;
	pthread_t threads[2];

	if (pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0)
		return 1;
	pthread_create(&threads[0], NULL, work, &first);
	await(&waits[0], 1);
	pthread_create(&threads[1], NULL, work, &second);
	for (int i = 1; i <= ROUNDS; i++) {
		await(&waits[1], i);
		if (write(pipes[0][1], "", 1) != 1)
			return 1;
		await(&got[0], i);
		if (i < ROUNDS)
			await(&waits[0], i + 1);
		if (write(pipes[1][1], "", 1) != 1)
			return 1;
		await(&got[1], i);
	}
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}

int main(void)
{
	int failed = hand_over();

	__asm__(".globl over\nover:");
	return failed;
}
