/*
 * Lines with a known number of passes, which their comments say: at -O0 all of them, at -O2 those
 * that are exact.
 */
#include <stdio.h>
#include <stdlib.h>

volatile long seen;

static inline __attribute__((always_inline)) void add(long by)
{
	seen = seen + by; /* ran 12: exactly */
}

__attribute__((noipa)) static void few(long times)
{
	for (long i = 0; i < times; i++)
		add(i);
}

__attribute__((noipa)) static void many(long times)
{
	for (long i = 0; i < times; i++) {
		add(i);
		if (i == 100)	  /* ran 8 */
			seen = 0; /* ran 0: exactly */
	}
	seen = seen + 1; /* ran 1: exactly */
}

__attribute__((noipa)) static long walk(long rows, long columns)
{
	long sum = 0; /* ran 1 */
	for (long row = 0; row < rows; row++) {
		for (long column = 0; column < columns; column++)
			if ((row + column) % 2)	     /* ran 12 */
				sum += row * column; /* ran 6 */
		while (sum > 100)
			sum--; /* ran 0 */
	}
	return sum; /* ran 1 */
}

__attribute__((noipa)) void not_called(void)
{
	seen = seen - 1; /* ran 0: exactly */
}

int main(int argc, char **argv)
{
	few(4);
	many(8);
	seen = walk(3, 4);
	if (argc > 5)
		not_called();
	printf("%ld %s\n", seen, argv[0][0] ? "" : "nameless");
	return 0;
}
