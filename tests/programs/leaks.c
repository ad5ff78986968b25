/*
 * Blocks that nothing points to any more at the end, and blocks that something does.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *next;
	char text[40];
};

enum { BIG = 300000, MANY = 100 };

static struct node *list;
static char **table, *middle;
static __thread char *of_thread;

static struct node *make(struct node *next)
{
	struct node *node = malloc(sizeof *node);

	if (node)
		node->next = next;
	return node;
}

static void keep_list(void)
{
	for (int i = 0; i < 5; i++)
		list = make(list);
}

static void lose_one(void)
{
	make(NULL);
}

static void lose_list(void)
{
	struct node *last = NULL;

	for (int i = 0; i < 10; i++)
		last = make(last);
}

static void lose_cycle(void)
{
	struct node *one = make(NULL), *other = make(one);

	one->next = other;
}

/* Only an address inside of it is left. */
static void keep_middle(void)
{
	middle = (char *)malloc(1000) + 500;
}

static void lose_big(void)
{
	char *big = malloc(BIG);

	memset(big, 1, BIG);
}

static void keep_table(void)
{
	table = malloc(MANY * sizeof *table);
	for (int i = 0; i < MANY; i++)
		table[i] = strdup("an entry");
}

static void overwrite(void)
{
	static char *text;

	text = strdup("first");
	text = strdup("second");
	printf("%s\n", text);
}

/* What is left over of calls on the stack would hide what they have lost. */
static void clear_stack(void)
{
	volatile char stack[8192];

	for (size_t i = 0; i < sizeof stack; i++)
		stack[i] = 0;
}

static void *in_thread(void *nothing)
{
	of_thread = malloc(77);
	make(NULL);
	clear_stack();
	return nothing;
}

int main(int argc, char *argv[])
{
	pthread_t thread;

	keep_list();
	keep_middle();
	keep_table();
	if (argc > 1 && strcmp(argv[1], "none") == 0)
		return 0;
	lose_one();
	lose_one();
	lose_list();
	lose_cycle();
	lose_big();
	overwrite();
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	of_thread = malloc(33);
	clear_stack();
	return 0;
}
