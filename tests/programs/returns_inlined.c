/*
 * Functions whose calls return in unusual ways: one that the compiler puts into its caller, but
 * that has a body of its own as well; and one that is left for another context, and then called
 * again from the same place.
 */
#include <stdio.h>
#include <ucontext.h>

static ucontext_t outside;
static volatile int left;

__attribute__((always_inline)) static inline int thrice(int n)
{
	int product = 3 * n;

	return product;
}

__attribute__((noinline)) static int leave_once(int n)
{
	if (n == 0) {
		left = 1;
		setcontext(&outside);
	}
	return 40 + n;
}

int main(void)
{
	int (*volatile body)(int) = thrice;
	int sum = 0;

	for (int i = 1; i <= 3; i++)
		sum += thrice(i);
	sum += body(5);
	getcontext(&outside);
	for (int i = left; i < 3; i++)
		sum += leave_once(i);
	printf("%d\n", sum);
	return 0;
}
