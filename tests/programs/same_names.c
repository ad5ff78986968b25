/*
 * Three files, two of which have a static variable `shared` of their own, and one another `lonely`.
 * This one has neither.
 */
#include <stdio.h>

int first(void);
int second(void);

static void meet(int sum)
{
	printf("%d\n", sum);
}

int main(void)
{
	int sum = first();

	sum += second();
	meet(sum);
	return 0;
}
