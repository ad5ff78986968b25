/*
 * Values and calls with a known history. The heap block's `sum` grows by 1 to ROUNDS; `phase` goes
 * from 0 to 3 and stays; `flag` is set three times for a while. local_work has a local whose place
 * on the stack other_work uses as well. An argument is the number of rounds (10).
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 10

struct block {
	long sum;
	char name[16];
};

static struct block *block;
static int phase, flag;
static char from_pipe[8];
static jmp_buf away;

static void add(long amount)
{
	block->sum += amount;
}

static int local_work(int rounds)
{
	volatile int mine = 100;

	for (int i = 0; i < rounds; i++)
		mine = mine + i + 1;
	return mine;
}

static int other_work(int rounds)
{
	volatile int theirs = 7;

	for (int i = 0; i < rounds; i++)
		theirs = theirs * 2;
	return theirs;
}

static long factorial(int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

static double half(double of)
{
	return of / 2;
}

static void leave(int how)
{
	if (how)
		longjmp(away, how);
}

static void write_by_kernel(void)
{
	int ends[2];

	if (pipe(ends) != 0 || write(ends[1], "fromrr!", 8) != 8 ||
	    read(ends[0], from_pipe, sizeof(from_pipe)) != 8)
		exit(2);
}

static void run(int rounds)
{
	block = calloc(1, sizeof(*block));
	strcpy(block->name, "first");
	for (int i = 1; i <= rounds; i++) {
		add(i);
		flag = i % 4 == 0;
		phase = i * 4 / (rounds + 1);
		if (write(STDERR_FILENO, ".", 1) != 1)
			exit(2);
	}
}

int main(int argc, char *argv[])
{
	int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS, work = 0;

	run(rounds);
	for (int i = 0; i < 3; i++)
		work += local_work(3) + other_work(2 + i);
	write_by_kernel();
	for (int i = 0; i < 2; i++)
		if (setjmp(away) == 0)
			leave(i);
	printf("%ld %d %d %ld %g %s\n", block->sum, work, phase, factorial(5), half(5), from_pipe);
	return 0;
}
