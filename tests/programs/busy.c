/*
 * Nearly all of its work lies behind its last system call but one: 300000 calls of mix().
 */
#include <stdio.h>

__attribute__((noinline)) static unsigned mix(unsigned x)
{
	for (int i = 0; i < 100; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}

int main(int argc, char **argv)
{
	unsigned x = (unsigned)argc;

	(void)argv;
	for (int i = 0; i < 30; i++) {
		printf("%d\n", i);
		fflush(stdout);
	}
	for (int i = 0; i < 300000; i++)
		x = mix(x);
	printf("%u\n", x);
	return 0;
}
