/*
 * Built with -O2: in work(), after the call of use(), its argument and its locals are kept
 * nowhere.
 */
#include <stdio.h>

static volatile int sink;

__attribute__((noinline)) static void use(int value)
{
	sink = value;
}

__attribute__((noinline)) static int work(int seed)
{
	int gone = seed * 3;

	use(gone + 1);
	sink = 7;
	return sink;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", work(argc));
	return 0;
}
