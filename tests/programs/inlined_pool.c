/*
 * Functions of an allocator that the compiler has inlined, or whose arguments it has changed.
 */
#include <stdlib.h>

static char bytes[4096];
static size_t used;
volatile long sink;

static inline __attribute__((always_inline)) void *always_inlined(size_t size)
{
	used += size;
	return bytes + used - size;
}

static __attribute__((noinline)) void *moved(long unused, size_t size)
{
	used += size;
	return bytes + used - size;
}

int main(int argc, char **argv)
{
	char *one = always_inlined((size_t)argc + 8), *other = moved(argc * 7, (size_t)argc + 9);

	(void)argv;
	one[0] = other[0] = 1;
	sink = one[0] + other[0];
	return 0;
}
