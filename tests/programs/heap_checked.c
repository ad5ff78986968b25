/*
 * Wrong uses of the heap, each in a function of its own that its number selects: all of them, or
 * those that the arguments name, by number. What each is, is what the check of the heap must say.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline, noipa))

volatile long sink;

KEEP static void *hide(void *pointer)
{
	__asm__ volatile("" : "+r"(pointer));
	return pointer;
}

KEEP static char *make(size_t size)
{
	return hide(malloc(size));
}

KEEP static void write_behind(void)
{
	char *block = make(16);

	block[16] = 1;
	free(block);
}

KEEP static void read_behind(void)
{
	char *block = make(20);

	sink = block[20];
	free(block);
}

KEEP static void write_far(void)
{
	char *block = make(24), *other = make(24);

	block[10000] = 1;
	free(other);
	free(block);
}

KEEP static void write_before(void)
{
	long *block = (long *)make(40);

	block[-1] = block[-1];
	free(block);
}

KEEP static void write_across(void)
{
	char *block = make(21);

	*(uint64_t *)hide(block + 16) = 0; /* its last three bytes are behind the end */
	free(block);
}

KEEP static void use_freed(void)
{
	int *block = (int *)make(400);

	free(block);
	sink = ((int *)hide(block))[50];
}

KEEP static void write_freed(void)
{
	int *block = hide(calloc(10, 40));

	free(block);
	((int *)hide(block))[60] = 7;
}

KEEP static void use_resized(void)
{
	char *block = make(3000), *between = make(5000), *larger = realloc(block, 90000);

	sink = ((char *)hide(block))[2000];
	free(larger);
	free(between);
}

KEEP static void write_behind_shrunk(void)
{
	char *block = hide(realloc(make(200), 50));

	block[50] = 1;
	free(block);
}

KEEP static void copy_behind(void)
{
	char *block = make(10);

	memcpy(block, hide("0123456789abcdef"), (size_t)(long)hide((void *)13));
	free(block);
}

KEEP static void copy_string_behind(void)
{
	char *block = make(6);

	strcpy(block, hide("longer text"));
	free(block);
}

KEEP static void fill_behind(void)
{
	char *block = make(5001);

	memset(block, 0, (size_t)(long)hide((void *)5002));
	free(block);
}

KEEP static void write_behind_aligned(void)
{
	char *block = hide(aligned_alloc(64, 64));
	void *other = NULL;

	block[64] = 1;
	if (posix_memalign(&other, 128, 30) == 0)
		((char *)hide(other))[30] = 1;
	free(other);
	free(block);
}

KEEP static void write_behind_large(void)
{
	char *block = make(300001); /* with a mapping of its own */

	block[300001] = 1;
	free(block);
}

KEEP static void read_empty(void)
{
	char *block = make(0);

	sink = *block;
	free(block);
}

KEEP static void *in_thread(void *unused)
{
	char *block = make(32);

	block[32] = 1;
	free(block);
	return unused;
}

KEEP static void write_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
}

KEEP static void use_many_times(void)
{
	for (int i = 0; i < 2000; i++) {
		char *block = make(48);

		block[48] = 1;
		free(block);
	}
}

/* These end the program, so each is for a run of its own. */
KEEP static void free_twice(void)
{
	char *block = make(1500), *other = make(1500);

	free(block);
	free(hide(block));
	free(other);
}

KEEP static void free_inside(void)
{
	free(hide(make(64) + 16));
}

KEEP static void resize_freed(void)
{
	char *block = make(2500), *other = make(2500);

	free(block);
	sink = (long)realloc(hide(block), 5000);
	free(other);
}

struct node {
	long number;
	struct node *next;
};

KEEP static void follow_overwritten(void)
{
	char *text = make(2024);
	struct node *node = hide(calloc(200, sizeof(*node))); /* right behind it */

	node->next = node + 1;
	memset(text, 'x', (size_t)(long)hide((void *)2048)); /* its pointer, too */
	sink = node->next->number;
	free(node);
	free(text);
}

static void (*const fatal[])(void) = {free_twice, free_inside, resize_freed, follow_overwritten};

static void (*const mistakes[])(void) = {write_behind, read_behind, write_far, write_before,
    write_across, use_freed, write_freed, use_resized, write_behind_shrunk, copy_behind,
    copy_string_behind, fill_behind, write_behind_aligned, write_behind_large, read_empty,
    write_in_thread, use_many_times};

/* All that is right, and looks wrong. */
KEEP static void be_right(void)
{
	char *block = make(100), *text = strdup("a text"), *exact = make(7);

	for (size_t i = 0; i < 40; i++) {
		char *one = make(i + 1);

		memset(one, 'x', i);
		one[i] = '\0';
		sink += (long)(strlen(one) + (size_t)(strchr(one, 'y') != NULL) +
			       (size_t)(memchr(one, 'y', i + 1) != NULL)) +
			strcmp(one, text) + strncmp(one, text, i + 1) + memcmp(one, one, i + 1);
		free(one);
	}
	memcpy(exact, text, 7);
	sink += strcmp(exact, text);
	block = realloc(block, 5000);
	memset(block, 1, 5000);
	block = realloc(block, 20);
	block = realloc(block, malloc_usable_size(block));
	memset(block, 2, malloc_usable_size(block));
	free(NULL);
	free(block);
	free(text);
	free(exact);
	block = make(400000);
	memset(block, 3, 400000);
	block = realloc(block, 800000);
	memset(block, 3, 800000);
	free(block);
}

int main(int argc, char **argv)
{
	be_right();
	if (argc == 1) {
		for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
			mistakes[i]();
	}
	for (int i = 1; i < argc; i++) {
		int number = atoi(argv[i]);

		if (number >= 100 && number < 104)
			fatal[number - 100]();
		if (number >= 0 && number < (int)(sizeof(mistakes) / sizeof(*mistakes)))
			mistakes[number]();
	}
	be_right();
	printf("done\n");
	return 0;
}
