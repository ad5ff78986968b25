/*
 * Writes into the bytes that malloc adds to a block, which damage nothing and are a mistake all the
 * same; and allocations through a wrapper.
 */
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noipa))

char *rounded, *exact, *grown, *zeroed, *text, *copied, *read_behind;

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

/* The zero at the end is one byte too far, where one is already. */
KEEP static void copy_text(char *block, const char *from)
{
	strcpy(block, from); /* copies */
}

KEEP static void copy_bytes(char *block, const char *from, size_t length)
{
	memcpy(block, from, length);
}

KEEP static size_t length_of(const char *block)
{
	return strlen(block);
}

int main(void)
{
	rounded = make_name(20);
	exact = make_name(24);
	zeroed = calloc(3, 7);
	grown = make_name(40);
	grown = realloc(grown, 100);
	text = make_name(12);
	copied = make_name(12);
	read_behind = make_name(12);
	copy_text(text, "twelve bytes");
	copy_bytes(copied + 5, "to 13..", 8);
	copy_text(read_behind, "eleven left");
	write_at(rounded, 20);
	write_at(exact, 23);
	write_at(zeroed, 20);
	write_at(grown, 101);
	return length_of(read_behind) != 11;
}
