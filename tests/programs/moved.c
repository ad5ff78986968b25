/*
 * Built so that its debug information names /gone/work/tests/programs/moved.c, where nothing is.
 */
#include <stdio.h>

static int first(int value)
{
	return value + 1; /* the line of the first stop */
}

static int second(int value)
{
	return value * 2; /* the line of the second */
}

int main(void)
{
	printf("%d\n", second(first(20)));
	return 0;
}
