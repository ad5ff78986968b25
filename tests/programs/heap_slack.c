/*
 * Writes into the bytes that malloc adds to a block, which damage nothing and are a mistake all the
 * same; and allocations through a wrapper.
 */
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noipa))

char *rounded, *exact, *grown, *zeroed;

KEEP static void *xmalloc(size_t size)
{
	void *block = malloc(size); /* wrapped */

	if (!block)
		abort();
	return block;
}

KEEP static char *make_name(size_t size)
{
	return xmalloc(size); /* asks */
}

KEEP static void write_at(char *block, size_t at)
{
	block[at] = 'x'; /* writes */
}

int main(void)
{
	rounded = make_name(20);
	exact = make_name(24);
	zeroed = calloc(3, 7);
	grown = make_name(40);
	grown = realloc(grown, 100);
	write_at(rounded, 20);
	write_at(exact, 23);
	write_at(zeroed, 20);
	write_at(grown, 101);
	return 0;
}
