/*
 * longjmp into a function that has returned: it returns once more, by the return address of the
 * function that called longjmp, because both were called with the same stack.
 */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf place;
static volatile int again;

__attribute__((noinline)) static int arm(int value)
{
	if (setjmp(place))
		return 7;
	return value + 1;
}

__attribute__((noinline)) static int jump(int value)
{
	if (value)
		longjmp(place, value);
	return 3;
}

int main(void)
{
	int value = arm(3);

	if (again++ == 0)
		value = jump(value);
	printf("%d\n", value);
	return value != 7;
}
