/*
 * qsort of as many integers as its argument says.
 */
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	int *numbers = malloc(count * sizeof *numbers);
	unsigned state = 1;

	if (!numbers)
		return 1;
	for (size_t i = 0; i < count; i++) {
		state = state * 1664525u + 1013904223u;
		numbers[i] = (int)(state >> 1);
	}
	qsort(numbers, count, sizeof *numbers, compare);
	state = (unsigned)numbers[count / 2];
	free(numbers);
	return state == 0;
}
