/*
 * Calls that are too much for a story: of code in more places than it can stop at, of more lines
 * than it follows, and with a change far behind the beginning of a long value.
 */
#include <stdio.h>

#define TEN(code) code code code code code code code code code code
#define ROUNDS	  4000

struct shelf {
	int books[60];
};

static struct shelf shelf;
static volatile int never, sum;

__attribute__((noipa)) static void touch(void)
{
	sum++;
}

__attribute__((noipa)) static int sprawl(struct shelf *of)
{
	if (never) {
		TEN(TEN(TEN(touch();)))
	}
	for (int i = 0; i < 60; i++)
		of->books[i] = i + 100000;
	of->books[50] = 100777; /* far behind */
	return 0;
}

__attribute__((noipa)) static int linger(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		sum += i;
		sum -= 2;
	}
	return 77;
}

int main(void)
{
	for (int i = 0; i < 60; i++)
		shelf.books[i] = i + 100000;
	printf("%d %d\n", sprawl(&shelf), linger(ROUNDS));
	return 0;
}
