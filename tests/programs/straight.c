/*
 * Writes and calls in a row without a branch between them, so that many share one moment's event
 * and ticks. With an argument: as many writes of one more variable and of a part of another, each
 * in a moment of its own.
 *
 *	straight [WRITES]
 */
#include <stdio.h>
#include <stdlib.h>

static volatile long value, counter, passed;
static volatile struct {
	unsigned low : 4, high : 12; /* in one byte, partly */
} parts;

static void mark(int number)
{
	value += number - number;
	passed += number;
}

static void row(void)
{
	value = 1;
	value = 2;
	value = 3;
	value = 4;
	value = 5;
	value = 6;
	mark(1);
	mark(2);
	mark(3);
	mark(4);
}

int main(int argc, char *argv[])
{
	long writes = argc > 1 ? atol(argv[1]) : 0;

	for (int i = 0; i < 3; i++)
		row();
	parts.high = 1;
	for (long i = 1; i <= writes; i++) {
		counter = i;
		parts.low = (unsigned)i & 15;
	}
	printf("value %ld counter %ld\n", value, counter);
	return 0;
}
