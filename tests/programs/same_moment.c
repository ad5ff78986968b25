/*
 * Ways to pass the same instruction again before the next conditional branch: calls in a row, a
 * loop of indirect jumps, a string instruction, system calls, signals, and all of it in threads.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile long passed;
static char from[12] = "eleven long", to[12];

__attribute__((noinline)) static void mark(long number)
{
	passed = number;
}

__attribute__((noinline)) static void in_a_row(void)
{
	mark(1);
	mark(2);
	mark(1);
}

__attribute__((noinline)) static void by_jumps(void)
{
	static const void *const ways[] = {&&again, &&again, &&again, &&over};
	const void *const *way = ways;

again:
	mark(10 + (long)(way - ways));
	goto * * ++way;
over:
	mark(20);
}

__attribute__((noinline)) static void by_strings(void)
{
	char *target = to;
	const char *source = from;
	size_t count = sizeof(from);

	mark(30);
	__asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(count) : : "memory");
	mark(31);
}

static void handle(int number)
{
	mark(number);
}

__attribute__((noinline)) static void by_calls(void)
{
	mark(40);
	syscall(SYS_getppid);
	mark(40);
	raise(SIGUSR1);
	mark(40);
}

static void *all(void *unused)
{
	(void)unused;
	in_a_row();
	by_jumps();
	by_strings();
	by_calls();
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	signal(SIGUSR1, handle);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, all, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
