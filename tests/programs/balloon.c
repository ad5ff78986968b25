/*
 * Allocates 4 GB, or exits with 3 if it cannot; with an argument, spins for ever and writes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK  (64UL << 20)
#define BLOCKS 64

int main(int argc, char **argv)
{
	char text[8192];

	if (argc > 1 && strcmp(argv[1], "spin") == 0)
		for (volatile unsigned long i = 0;; i++)
			;
	memset(text, 'x', sizeof(text));
	while (argc > 1 && strcmp(argv[1], "read") == 0) {
		FILE *random = fopen("/dev/urandom", "r");
		if (random == NULL || fread(text, 1, sizeof(text), random) == 0)
			return 4;
		fclose(random);
	}
	for (int i = 0; i < BLOCKS; i++) {
		char *block = malloc(BLOCK);
		if (block == NULL)
			return 3;
		*(volatile char *)block = 1;
	}
	return 0;
}
