/*
 * Computes for some seconds without a system call, so that rr has one long step to replay.
 */
#include <stdio.h>

static volatile unsigned sum;

static void compute(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sum += i;
}

int main(void)
{
	compute(1500u * 1000 * 1000);
	printf("%u\n", sum);
	return 0;
}
