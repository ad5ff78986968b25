/*
 * Goes a way that its seed chooses, and from step CHANGE on another one, if OTHER is not 0. It
 * prints the line of each place that it passed: rr_compare_runs must find where two logs part.
 *
 *   ways SEED STEPS CHANGE OTHER
 */
#include <stdio.h>
#include <stdlib.h>

#define KEEP	__attribute__((noipa))
#define DEEPEST 3
#define ENOUGH	60000

static int passed[65536];
static unsigned count, state;
long total;

#define HERE (passed[count++] = __LINE__)

/* It takes the same lines whatever it draws. */
KEEP static unsigned draw(unsigned below)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % below;
}

KEEP static void walk(int depth);

KEEP static void left(int depth)
{
	HERE;
	total += depth;
	if (draw(3) == 0) {
		HERE;
		total *= 3;
	}
	HERE;
}

KEEP static void right(int depth)
{
	HERE;
	switch (draw(3)) {
	case 0:
		HERE;
		left(depth + 1);
		break;
	case 1:
		HERE;
		total ^= 0x55;
		break;
	default:
		HERE;
		break;
	}
	HERE;
}

KEEP static void around(void)
{
	HERE;
	for (unsigned i = draw(4); i > 0; i--) {
		HERE;
		total += i;
	}
	HERE;
}

KEEP static void walk(int depth)
{
	HERE;
	switch (draw(5)) {
	case 0:
		HERE;
		left(depth);
		break;
	case 1:
		HERE;
		right(depth);
		break;
	case 2:
		HERE;
		around();
		break;
	case 3:
		HERE;
		total -= depth;
		break;
	default:
		HERE;
		if (depth < DEEPEST) {
			HERE;
			walk(depth + 1);
		}
		HERE;
		break;
	}
	HERE;
}

int main(int argc, char **argv)
{
	const int steps = argc > 4 ? atoi(argv[2]) : 0, change = argc > 4 ? atoi(argv[3]) : 0;
	const unsigned other = argc > 4 ? (unsigned)atoi(argv[4]) : 0;

	state = argc > 4 ? (unsigned)atoi(argv[1]) : 0;
	for (int i = 0; i < steps && count < ENOUGH; i++) {
		HERE;
		state ^= other * (unsigned)(i == change) << 16;
		walk(0);
	}
	HERE;
	for (unsigned i = 0; i < count; i++)
		printf("%d\n", passed[i]);
	return 0;
}
