/*
 * A program with an allocator of its own inside, as one that is linked with tcmalloc or jemalloc.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static _Alignas(16) char memory[1 << 20];
static size_t used;

void *malloc(size_t size)
{
	char *block = memory + used;

	used += (size + 31) & ~(size_t)15;
	*(size_t *)block = size;
	return used <= sizeof(memory) ? block + 16 : NULL;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t count, size_t size)
{
	return malloc(count * size);
}

void *realloc(void *block, size_t size)
{
	void *moved = malloc(size);

	if (block && moved)
		memcpy(moved, block, size < ((size_t *)block)[-2] ? size : ((size_t *)block)[-2]);
	return moved;
}

int main(void)
{
	char *text = malloc(3);

	memcpy(text, "ok", 3);
	puts(text);
	free(text);
	return 0;
}
