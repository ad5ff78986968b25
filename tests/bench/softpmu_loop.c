/*
 * A tight CPU loop for the software PMU's benchmark: as many rounds as its argument says.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 20000, sum = 0;

	for (unsigned long i = 0; i < rounds; i++)
		sum = sum * 31 + (i ^ (sum >> 7));
	printf("%lu\n", sum);
	return 0;
}
