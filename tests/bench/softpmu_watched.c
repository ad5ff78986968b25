/*
 * Writes once, and then passes as many branches as its argument says: how long does it take to go
 * back from the end to the write?
 */
#include <stdlib.h>

static volatile int target;

__attribute__((noinline)) static void finished(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	unsigned long left = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	target = 1;
	while (left > 0) {
		__asm__ volatile("" : "+r"(left));
		left--;
	}
	finished();
	return target - 1;
}
