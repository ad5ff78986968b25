/*
 * Blocks of a heap that are live at several moments, made on several ways.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 10, MANY = 100 };

static void *kept[8 * MANY];
static int count;

static void keep(void *block)
{
	kept[count++] = block;
}

static void *xmalloc(size_t size)
{
	void *block = malloc(size);

	if (!block)
		abort();
	return block;
}

/* Both call the wrapper alike. */
static void load_names(void)
{
	for (int i = 0; i < MANY; i++)
		keep(xmalloc(16));
}

static void load_images(void)
{
	for (int i = 0; i < FEW; i++)
		keep(xmalloc(1000));
}

static void drop_images(int some)
{
	for (int i = 0; i < some; i++)
		free(kept[MANY + i]);
}

struct node {
	struct node *left, *right;
};

/* On many ways: left and right at each depth. */
static struct node *grow(int depth)
{
	struct node *node = calloc(1, sizeof *node);

	if (depth > 1) {
		node->left = grow(depth - 1);
		node->right = grow(depth - 1);
	}
	return node;
}

static void enlarge(void)
{
	char *text = malloc(10);

	text = realloc(text, 5000);
	keep(text);
}

static void *in_thread(void *nothing)
{
	keep(strdup("a text of 24 characters"));
	return nothing;
}

static void middle(void)
{
}

static void last(void)
{
}

int main(void)
{
	pthread_t thread;

	load_names();
	load_images();
	middle();
	drop_images(4);
	keep(grow(8));
	enlarge();
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	last();
	printf("%d kept\n", count);
	return 0;
}
