/*
 * Returns that no call belongs to: they jump, in the code that follows a call which is never made,
 * and in code that follows none. `pushed` and `plain` are the places that they return to. `counted`
 * does the same from one place again and again, recursively.
 */
#include <stdio.h>

static volatile int depth, count;

static int fall(int n)
{
	count++;
	if (n > 0)
		return fall(n - 1) + fall(n - 1);
	return 1;
}

static void odd(void)
{
	__asm__ volatile("lea 1f(%%rip), %%rax\n\t"
			 "push %%rax\n\t"
			 "ret\n\t"
			 "call fall\n"
			 "1:\n\t"
			 ".globl pushed\n"
			 "pushed:\n\t"
			 "nop\n\t"
			 "lea 2f(%%rip), %%rax\n\t"
			 "push %%rax\n\t"
			 "ret\n\t"
			 "nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n"
			 "2:\n\t"
			 ".globl plain\n"
			 "plain:\n\t"
			 "nop\n\t" ::
			     : "rax", "memory", "cc");
}

int main(void)
{
	depth = fall(3);
	for (int i = 0; i < 3; i++)
		depth += fall(0);
	odd();
	printf("%d %d\n", depth, count);
	return 0;
}
