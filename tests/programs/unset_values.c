/*
 * Values that nobody has set, and zeros that came with their memory. Each of the globals gets one;
 * `look` does nothing with them. The lines with "taken:" are where the memory came from.
 */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define KEEP __attribute__((noinline, noipa))

long fresh, reused, next_link, key, grown, kept, cleared, of_array, of_alloca, of_local;
long mapped, passed, after_free;
long never_set[4];
int *stale;

KEEP void look(void)
{
	__asm__ volatile("" ::: "memory");
}

KEEP static void *take(size_t bytes)
{
	return malloc(bytes); /* taken: malloc */
}

KEEP static void dirty_heap(void)
{
	volatile long *block = malloc(64);

	for (int i = 0; i < 8; i++)
		block[i] = 4711 + i; /* left behind */
	free((void *)block);
}

KEEP static void dirty_stack(void)
{
	volatile long left[200];

	for (int i = 0; i < 200; i++)
		left[i] = 9000 + i;
}

KEEP static void heap(void)
{
	long *block = take(4000), *again, *zeros, *more;

	fresh = block[7];
	dirty_heap();
	again = take(64);
	reused = again[5];
	next_link = again[0];
	key = again[1];
	free(again);
	after_free = again[0];
	dirty_heap();
	zeros = calloc(8, 8); /* taken: calloc */
	cleared = zeros[5];
	more = take(24);
	more[1] = 77;		    /* now set */
	more = realloc(more, 9000); /* taken: realloc */
	kept = more[1];
	grown = more[500];
	free(block);
}

KEEP static void copy(long *to, const long *from)
{
	*to = *from;
}

KEEP static void stack(int length)
{
	long local, array[8], *more = alloca((size_t)length * sizeof(long));

	__asm__ volatile("" : : "r"(&local), "r"(array), "r"(more) : "memory");
	of_local = local;
	of_array = array[3];
	of_alloca = more[2];
	copy(&passed, &array[5]);
}

KEEP static void pages(void)
{
	long *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mapped = page[600];
}

int main(void)
{
	heap();
	dirty_stack();
	stack(6);
	pages();
	look();
	return 0;
}
