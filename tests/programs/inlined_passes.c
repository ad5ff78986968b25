/*
 * Functions that -O2 makes part of their callers: check has its constants loaded in front of the
 * loop, norm is entered by two ways, and stage is part of two functions. How often each runs is
 * what the loops say, at -O0 too.
 */
#include <stdarg.h>
#include <stdio.h>

struct account {
	double sum, most;
	int count;
	float last[4];
};

static volatile int staged, rounds = 6;

__attribute__((noinline)) static void tell(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
}

__attribute__((noinline)) static void warn(const char *format, ...)
{
	va_list arguments;

	printf("warning: ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
}

static void check(int i)
{
	if (i % 3 == 2)
		warn("value %d is odd: %s\n", i * 7, "seven");
	else
		tell("value %d\n", i * 7);
}

__attribute__((noinline)) static double root(double of)
{
	return of * rounds / 2;
}

static double norm(double x, double shift)
{
	return (x - shift) / root(x - shift - 1.0);
}

static void add(struct account *account, double x)
{
	account->sum += x;
	if (x > account->most)
		account->most = x;
	account->last[account->count & 3] = (float)x;
	account->count++;
}

static void stage(int number)
{
	staged = number;
}

__attribute__((noinline)) static void other_caller(void)
{
	for (int i = 0; i < 4; i++)
		stage(i);
}

int main(void)
{
	struct account account = {0};

	for (int i = 0; i < 6; i++)
		check(i);
	for (int i = 0; i < 6; i++)
		add(&account, norm(i * 2.0, i == 3 ? 6.5 : 1.0 - i));
	stage(9);
	other_caller();
	printf("%f %d %d\n", account.sum + account.most, account.count, staged);
	return 0;
}
