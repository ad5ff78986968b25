/*
 * Overwrites the words before a block that is free, with a loop of its own. malloc finds it, in the
 * first puts, where it joins blocks that are free: nothing is freed there.
 */
#include <stdio.h>
#include <stdlib.h>

#define BLOCKS 9

int main(void)
{
	size_t *blocks[BLOCKS];

	for (int i = 0; i < BLOCKS; i++)
		blocks[i] = malloc(40);
	for (int i = 0; i < BLOCKS - 1; i++)
		free(blocks[i]);
	blocks[BLOCKS - 2][-2] = 32;
	blocks[BLOCKS - 2][-1] &= ~(size_t)1;
	puts("this needs a buffer");
	return 0;
}
