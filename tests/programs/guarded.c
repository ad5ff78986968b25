/*
 * Uses of the heap that are wrong and that a usual malloc does not mind, or minds too late: the
 * argument chooses one. Each is in a function of its own, with its name where it happens.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile char sink;
static volatile size_t size_16 = 16, size_24 = 24, size_13 = 13, size_40 = 40, size_large = 300000,
		       one = 1;

APART static char *make(size_t size)
{
	char *block = malloc(size); /* made here */

	memset(block, 'm', size);
	return block;
}

APART static void drop(void *block)
{
	free(block); /* dropped here */
}

APART static void overflow(void)
{
	volatile char *block = make(size_16);

	block[size_16] = 'x'; /* overflow */
	drop((char *)block);
}

APART static void overflow_loop(void)
{
	volatile char *block = make(size_24);

	for (size_t i = 0; i <= size_24; i++)
		block[i] = 'x'; /* overflow_loop */
	drop((char *)block);
}

APART static void over_read(void)
{
	volatile char *block = make(size_24);

	sink = block[size_24 + 7]; /* over_read */
	drop((char *)block);
}

APART static void over_read_word(void)
{
	volatile char *block = make(size_24);

	sink = (char)*(volatile long *)(block + size_24 - 4); /* over_read_word */
	drop((char *)block);
}

APART static void odd_size(void)
{
	volatile char *block = make(size_13);

	block[size_13 + 1] = 'x'; /* odd_size */
	drop((char *)block);
}

APART static void odd_by_one(void)
{
	volatile char *block = make(size_13);

	block[size_13] = 'x'; /* odd_by_one */
	drop((char *)block);
}

APART static void odd_never_freed(void)
{
	volatile char *block = make(size_13);

	block[size_13] = 'x'; /* odd_never_freed */
}

APART static void large(void)
{
	volatile char *block = make(size_large);

	block[size_large] = 'x'; /* large */
	drop((char *)block);
}

APART static void underflow(void)
{
	volatile char *block = make(size_24);

	block[-one] = 'x'; /* underflow */
	drop((char *)block);
}

APART static void under_read(void)
{
	volatile char *block = make(size_24);

	sink = block[-8 * (long)one]; /* under_read */
	drop((char *)block);
}

APART static void use_after_free(void)
{
	volatile char *block = make(size_24);

	drop((char *)block);
	sink = block[4]; /* use_after_free */
}

APART static void write_after_free(void)
{
	volatile char *block = make(size_large);

	drop((char *)block);
	block[200000] = 'x'; /* write_after_free */
}

APART static void after_realloc(void)
{
	volatile char *block = make(size_16), *grown = realloc((char *)block, 4000); /* grown */

	sink = block[3]; /* after_realloc */
	drop((char *)grown);
}

APART static void double_free(void)
{
	char *block = make(size_24);

	drop(block);
	free(block); /* double_free */
}

APART static void free_middle(void)
{
	char *block = make(size_24);

	free(block + 8 * one); /* free_middle */
}

APART static void free_stack(void)
{
	char array[32];
	char *volatile block = array;

	array[0] = 'x';
	free(block); /* free_stack */
}

APART static void realloc_freed(void)
{
	char *block = make(size_24);

	drop(block);
	sink = *(char *)realloc(block, 40); /* realloc_freed */
}

APART static void over_calloc(void)
{
	volatile char *block = calloc(size_24, 2); /* cleared */

	block[2 * size_24] = 'x'; /* over_calloc */
	drop((char *)block);
}

APART static void over_aligned(void)
{
	volatile char *block = memalign(64, 4096 * one); /* aligned */

	block[4096] = 'x'; /* over_aligned */
	drop((char *)block);
}

APART static void over_nothing(void)
{
	volatile char *block = malloc(one - 1); /* empty */

	sink = *block; /* over_nothing */
	drop((char *)block);
}

static void *write_behind(void *block)
{
	((volatile char *)block)[size_16 + 3] = 'x'; /* in_thread */
	return NULL;
}

APART static void in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, write_behind, make(size_16));
	pthread_join(thread, NULL);
}

APART static void in_child(void)
{
	volatile char *block = make(size_16);
	pid_t child = fork();

	if (child == 0) {
		block[size_16] = 'x'; /* in_child */
		_exit(0);
	}
	waitpid(child, NULL, 0);
	drop((char *)block);
}

APART static void in_library(void)
{
	char *block = make(size_16);

	memset(block, 'x', size_16 + one); /* in_library */
	drop(block);
}

typedef long pair __attribute__((vector_size(16)));

/* Nothing is wrong with it: malloc promises that alignment. */
APART static void needs_alignment(void)
{
	char *block = make(size_40);

	*(volatile pair *)block = (pair){1, 2}; /* needs_alignment */
	drop(block);
}

static const struct {
	const char *name;
	void (*function)(void);
} rows[] = {{"overflow", overflow}, {"overflow_loop", overflow_loop}, {"over_read", over_read},
    {"over_read_word", over_read_word}, {"odd_size", odd_size}, {"odd_by_one", odd_by_one},
    {"odd_never_freed", odd_never_freed}, {"large", large}, {"underflow", underflow},
    {"under_read", under_read}, {"use_after_free", use_after_free},
    {"write_after_free", write_after_free}, {"after_realloc", after_realloc},
    {"double_free", double_free}, {"free_middle", free_middle}, {"free_stack", free_stack},
    {"realloc_freed", realloc_freed}, {"over_calloc", over_calloc}, {"over_aligned", over_aligned},
    {"over_nothing", over_nothing}, {"in_thread", in_thread}, {"in_child", in_child},
    {"in_library", in_library}, {"needs_alignment", needs_alignment}};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(argv[1], rows[i].name) == 0)
			rows[i].function();
	puts("done");
	return 0;
}
