/*
 * malloc in functions of the program's own, as many programs have it. What strdup gives goes back
 * the same way, and what is resized there goes back to free.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noipa))

APART void *xmalloc(size_t size)
{
	void *block = malloc(size ? size : 1);

	if (!block)
		abort();
	return block;
}

APART void xfree(void *block)
{
	free(block);
}

APART static void write_behind(void)
{
	volatile char *block = xmalloc(20);

	block[20] = 1;
	xfree((void *)block);
}

APART static void use_rightly(void)
{
	char *one = xmalloc(30), *other = strdup("text"), *third = xmalloc(0);

	one = realloc(one, 31);
	one[30] = 1;
	one = realloc(one, 300000);
	one[299999] = other[0];
	free(third);
	xfree(other);
	xfree(one);
	xfree(NULL);
}

APART static void free_twice(void)
{
	void *block = xmalloc(40);

	xfree(block);
	xfree(block);
}

int main(void)
{
	xfree(strdup("before the first xmalloc"));
	write_behind();
	use_rightly();
	free_twice();
	return 0;
}
