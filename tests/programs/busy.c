/*
 * Nearly all of its work lies behind its last system call but one: 300000 calls of mix(), or as
 * many times that as its argument says.
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static unsigned mix(unsigned x)
{
	for (int i = 0; i < 100; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}

int main(int argc, char **argv)
{
	const int times = argc > 1 ? atoi(argv[1]) : 1;
	unsigned x = 1;

	for (int i = 0; i < 30; i++) {
		printf("%d\n", i);
		fflush(stdout);
	}
	for (int i = 0; i < times * 300000; i++)
		x = mix(x);
	printf("%u\n", x);
	return 0;
}
