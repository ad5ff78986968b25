/*
 * Allocates, copies and frees through functions that only hand their arguments on, two deep, and
 * through one that does more. Questions about a block must lead to who called those.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *next;
	char text[24];
};

volatile long allocations;
static char table[64];

__attribute__((noipa)) static void *xmalloc(size_t size)
{
	void *block = malloc(size); /* hands on */

	if (!block)
		abort();
	allocations++;
	return block;
}

__attribute__((noipa)) static void *zone_take(int kind, size_t size)
{
	return kind ? xmalloc(size) : NULL; /* hands on again */
}

__attribute__((noipa)) static void xfree(void *block)
{
	free(block); /* hands back */
	allocations--;
}

__attribute__((noipa)) static void copy_bytes(void *to, const void *from, size_t length)
{
	memcpy(to, from, length); /* copies */
	allocations = allocations + 0;
}

/* It knows what it makes: no wrapper. */
__attribute__((noipa)) static struct node *make_node(int shift)
{
	struct node *node = malloc(sizeof(*node) + (size_t)shift); /* makes a node */

	allocations++;
	return node;
}

__attribute__((noipa)) static char *load(size_t size)
{
	char *text = xmalloc(size); /* loads */

	text[0] = 'a';
	return text;
}

__attribute__((noipa)) static char *load_zone(size_t size)
{
	char *text = zone_take(1, size); /* loads from a zone */

	text[0] = 'b';
	return text;
}

__attribute__((noipa)) static void unload(char *text)
{
	xfree(text); /* unloads */
	allocations = allocations + 0;
}

__attribute__((noipa)) static void fill_table(size_t length)
{
	char words[64] = "some words for the table that are long enough";

	copy_bytes(table, words, length); /* fills the table */
	allocations = allocations + words[1];
}

int main(void)
{
	char *text = load(100), *zone = load_zone(200);
	struct node *node = make_node(0);

	fill_table(sizeof(table));
	unload(text);
	unload(zone);
	printf("%c %p\n", table[3], (void *)node); /* ends */
	return 0;
}
