/*
 * Three mistakes with heap blocks: one is read after it was freed, one is written out of the block
 * below it, and one is freed twice, which the C library notices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
	long count;
	char name[32];
};

struct record *stale, *kept;
char *low, *victim, *twice;
volatile long seen;

__attribute__((noipa)) static struct record *make_record(long count)
{
	struct record *record = calloc(1, sizeof(*record)); /* made here */

	record->count = count;
	return record;
}

__attribute__((noipa)) static void drop(struct record *record)
{
	free(record);	 /* dropped here */
	seen = seen + 1; /* no tail call */
}

__attribute__((noipa)) static void read_late(void)
{
	seen += stale->count; /* used after free */
}

__attribute__((noipa)) static void fill(volatile char *to, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = 'x'; /* beyond the end */
}

__attribute__((noipa)) static void release(char *block)
{
	free(block);	 /* freed first */
	seen = seen + 1; /* no tail call */
}

__attribute__((noipa)) static void release_again(char *block)
{
	free(block);	 /* freed twice */
	seen = seen + 1; /* no tail call */
}

int main(void)
{
	for (int i = 0; i < 20; i++) /* noise */
		free(malloc((size_t)i * 8));
	stale = make_record(1);
	kept = make_record(2);
	seen += kept->count;
	low = malloc(2040);
	victim = malloc(2040); /* the victim */
	twice = malloc(300);
	drop(stale);
	read_late();
	fill(low, 2044);
	printf("%ld\n", seen);
	fflush(stdout);
	release(twice);
	release_again(twice);
	return 0;
}
