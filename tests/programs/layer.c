/*
 * A library without debug information, for layers.c: it allocates at the end of ways of several
 * kinds, whose frames lie differently on the stack.
 */
#include <stdlib.h>

#define KEPT __attribute__((noipa))

KEPT void *layer_take(size_t size)
{
	void *block = malloc(size);

	__asm__ volatile("" : "+r"(block)); /* no call at the end that only jumps */
	return block;
}

KEPT void *layer_deep(int depth, size_t size)
{
	void *block = depth > 0 ? layer_deep(depth - 1, size) : layer_take(size);

	__asm__ volatile("" : "+r"(block));
	return block;
}

/* A frame of a size that is not known before, which only rbp finds. */
KEPT void *layer_wide(int width, size_t size)
{
	volatile char *room = __builtin_alloca((size_t)width * 16 + 16);
	void *block;

	room[0] = room[width] = (char)width;
	block = layer_take(size + (size_t)room[0] - (size_t)room[width]);
	__asm__ volatile("" : "+r"(block) : "r"(room));
	return block;
}

/* The program's own code is in between. */
KEPT void *layer_back(void *(*back)(size_t), size_t size)
{
	void *block = back(size);

	__asm__ volatile("" : "+r"(block));
	return block;
}
