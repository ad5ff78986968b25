/*
 * Is ended by glibc's malloc, which has found its heap damaged; the argument names how. The damage
 * is done by fill() or write_word(), long before another call of malloc finds it: a crash report
 * has to tell who did it, and to which block.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE 5000

volatile long seen;
static char *kept[32];

__attribute__((noipa)) static char *make(size_t size)
{
	char *block = malloc(size); /* makes */

	seen++;
	return block;
}

__attribute__((noipa)) static void fill(volatile char *to, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = 'x'; /* fills */
}

__attribute__((noipa)) static void write_word(char *to, uint64_t word)
{
	*(volatile uint64_t *)to = word; /* writes */
}

__attribute__((noipa)) static void release(char *block)
{
	free(block); /* releases */
	seen++;
}

__attribute__((noipa)) static char *enlarge(char *block, size_t size)
{
	return realloc(block, size); /* enlarges */
}

/* Makes a freed block's link lead to no block: malloc keeps it mixed with its own address. */
__attribute__((noipa)) static void break_link(char *block)
{
	*(volatile uint64_t *)block = ((uint64_t)block >> 12) ^ 8; /* breaks */
}

/* Fills the thread's cache of that size, so that the next to be freed goes to the lists. */
static void fill_cache(size_t size)
{
	for (int i = 0; i < 7; i++)
		kept[i] = make(size);
}

static void free_cache(void)
{
	for (int i = 0; i < 7; i++)
		release(kept[i]);
}

static void take_cache(size_t size)
{
	for (int i = 0; i < 7; i++)
		make(size);
}

/* malloc(): corrupted top size */
static void top_size(void)
{
	fill(make(40), 56);
	make(LARGE);
}

/* the same, found by calloc; and by realloc, which needs a new block */
static void top_size_calloc(void)
{
	fill(make(40), 56);
	kept[0] = calloc(1, LARGE);
}

static void top_size_realloc(void)
{
	char *block = make(24), *last = make(40);

	fill(last, 56);
	enlarge(block, LARGE);
}

/* malloc assertion failure in sysmalloc */
static void top_small(void)
{
	write_word(make(40) + 40, 0x20);
	make(LARGE);
}

/* malloc(): unaligned tcache chunk detected */
static void tcache_unaligned(void)
{
	char *one = make(40), *other = make(40);

	release(one);
	release(other);
	break_link(other);
	make(40);
	make(40);
}

/* malloc(): invalid size (unsorted) */
static void unsorted_size(void)
{
	char *low = make(40), *high = make(LARGE);

	make(40);
	release(high);
	fill(low, 56);
	make(2 * LARGE);
}

/* malloc(): invalid next size (unsorted) */
static void unsorted_next_size(void)
{
	char *block = make(LARGE), *guard = make(40);

	release(block);
	write_word(guard - 8, 0x8); /* the size of the next */
	make(2 * LARGE);
}

/* malloc(): mismatching next->prev_size (unsorted) */
static void unsorted_prev_size(void)
{
	char *block = make(LARGE);

	make(40);
	release(block);
	fill(block + LARGE - 8, 8);
	make(2 * LARGE);
}

/* malloc(): unsorted double linked list corrupted */
static void unsorted_list(void)
{
	char *block = make(LARGE);

	make(40);
	release(block);
	write_word(block, (uint64_t)kept);
	make(2 * LARGE);
}

/* malloc(): invalid next->prev_inuse (unsorted) */
static void unsorted_inuse(void)
{
	char *block = make(LARGE), *guard = make(40);

	release(block);
	write_word(guard - 8, 0x31);
	make(2 * LARGE);
}

/* malloc(): smallbin double linked list corrupted */
static void smallbin_list(void)
{
	fill_cache(200);
	char *block = make(200);
	make(40);
	free_cache();
	release(block);
	make(LARGE); /* sorts it */
	take_cache(200);
	write_word(block + 8, (uint64_t)(block + 64));
	make(200);
}

/* malloc(): largebin double linked list corrupted (nextsize) */
static void largebin_list(void)
{
	char *one = make(LARGE), *two;

	make(40);
	two = make(LARGE + 64);
	make(40);
	release(one);
	make(4 * LARGE);		      /* sorts it */
	write_word(one + 24, (uint64_t)kept); /* its bk_nextsize */
	release(two);
	make(4 * LARGE);
}

/* malloc(): largebin double linked list corrupted (bk) */
static void largebin_bk(void)
{
	char *one = make(LARGE), *two;

	make(40);
	two = make(LARGE + 64);
	make(40);
	release(one);
	make(4 * LARGE);
	write_word(one + 8, (uint64_t)kept);
	release(two);
	make(4 * LARGE);
}

/* malloc(): memory corruption (fast) */
static void fast_size(void)
{
	fill_cache(40);
	char *low = make(40), *block = make(40);
	make(40);
	free_cache();
	release(block);
	take_cache(40);
	fill(low, 56);
	make(40);
}

/* malloc(): unaligned fastbin chunk detected 3 */
static void fast_unaligned(void)
{
	fill_cache(40);
	char *one = make(40), *block = make(40);
	make(40);
	free_cache();
	release(one);
	release(block);
	take_cache(40);
	break_link(block);
	make(40);
}

/* malloc_consolidate(): invalid chunk size */
static void consolidate_size(void)
{
	fill_cache(40);
	char *low = make(40), *block = make(40);
	make(40);
	free_cache();
	release(block);
	fill(low, 56);
	make(LARGE);
}

/* malloc_consolidate(): unaligned fastbin chunk detected */
static void consolidate_unaligned(void)
{
	fill_cache(40);
	char *one = make(40), *block = make(40);
	make(40);
	free_cache();
	release(one);
	release(block);
	break_link(block);
	make(LARGE);
}

/* corrupted size vs. prev_size */
static void size_vs_previous(void)
{
	char *low = make(2000), *high = make(2000);

	make(2000);
	release(high);
	fill(high + 2000, 8); /* after its free */
	release(low);
}

/* corrupted size vs. prev_size while consolidating */
static void while_consolidating(void)
{
	char *far = make(40), *low = make(2000), *high = make(2000);

	make(40);
	release(low);
	write_word(low - 8, 0x101);
	release(high);
	seen += *far;
}

/* corrupted double-linked list */
static void double_linked(void)
{
	char *low = make(2000), *high = make(2000);

	make(40);
	release(high);
	write_word(high + 8, (uint64_t)kept);
	release(low);
}

/* corrupted double-linked list (not small) */
static void not_small(void)
{
	char *low = make(2000), *high = make(2000);

	make(40);
	release(high);
	make(LARGE);
	write_word(high + 16, (uint64_t)kept);
	release(low);
}

/* free(): invalid size */
static void free_size(void)
{
	char *low = make(40), *high = make(40);

	fill(low, 56);
	release(high);
}

/* free(): invalid pointer: the block's own size was overwritten */
static void free_pointer(void)
{
	char *low = make(40), *high = make(40);

	write_word(low + 40, -15L);
	release(high);
}

/* free(): invalid next size (fast) */
static void next_size_fast(void)
{
	fill_cache(40);
	char *block = make(40);
	make(40);
	free_cache();
	fill(block, 56);
	release(block);
}

/* free(): invalid next size (normal) */
static void next_size_normal(void)
{
	char *block = make(2000);

	make(40);
	write_word(block + 2008, 0x9);
	release(block);
}

/* free(): corrupted unsorted chunks */
static void free_unsorted(void)
{
	char *one = make(2000), *other;

	make(40);
	other = make(2000);
	make(40);
	release(one);
	write_word(one + 8, (uint64_t)kept);
	release(other);
}

/* free(): unaligned chunk detected in tcache 2 */
static void tcache_two(void)
{
	char *one = make(40), *two = make(40), *three = make(40);

	release(one);
	release(two);
	break_link(two);
	write_word(three + 8, *(uint64_t *)(two + 8)); /* malloc's own mark */
	release(three);
}

/* free(): double free detected in tcache 2 */
static void twice(void)
{
	char *block = make(40);

	release(block);
	release(block);
}

/* double free or corruption (fasttop) */
static void twice_fast(void)
{
	fill_cache(40);
	char *block = make(40);
	make(40);
	free_cache();
	release(block);
	release(block);
}

/* double free or corruption (!prev) */
static void twice_large(void)
{
	char *block = make(LARGE);

	make(40);
	release(block);
	release(block);
}

/* double free or corruption (out): the size was overwritten with one that is too large */
static void size_out(void)
{
	char *low = make(40), *high = make(2000);

	write_word(low + 40, 0x100001);
	release(high);
}

/* double free or corruption (top) */
static void twice_top(void)
{
	char *block = make(LARGE);

	release(block);
	release(block);
}

/* munmap_chunk(): invalid pointer */
static void unmapped(void)
{
	char *low = make(40), *high = make(40);

	write_word(low + 40, 0x1232);
	release(high);
}

/* realloc(): invalid pointer, invalid old size, invalid next size */
static void realloc_pointer(void)
{
	char *low = make(40), *high = make(40);

	write_word(low + 40, -15L);
	enlarge(high, 100);
}

static void realloc_old_size(void)
{
	char *low = make(40), *high = make(40);

	write_word(low + 40, 0x9);
	enlarge(high, 100);
}

static void realloc_next_size(void)
{
	char *block = make(2000);

	make(40);
	fill(block, 2016);
	enlarge(block, LARGE);
}

/* mremap_chunk(): invalid pointer */
static void mremapped(void)
{
	char *low = make(40), *high = make(40);

	write_word(low + 40, 0x1232);
	enlarge(high, 1 << 20);
}

/* free(): invalid pointer: no block begins there */
static void inside(void)
{
	release(make(100) + 8);
}

#define KIND(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}
static const struct {
	const char *name;
	void (*act)(void);
} kinds[] = {KIND(top_size), KIND(top_size_calloc), KIND(top_size_realloc), KIND(top_small),
    KIND(tcache_unaligned), KIND(unsorted_size), KIND(unsorted_next_size), KIND(unsorted_prev_size),
    KIND(unsorted_list), KIND(unsorted_inuse), KIND(smallbin_list), KIND(largebin_list),
    KIND(largebin_bk), KIND(fast_size), KIND(fast_unaligned), KIND(consolidate_size),
    KIND(consolidate_unaligned), KIND(size_vs_previous), KIND(while_consolidating),
    KIND(double_linked), KIND(not_small), KIND(free_size), KIND(free_pointer), KIND(next_size_fast),
    KIND(next_size_normal), KIND(free_unsorted), KIND(tcache_two), KIND(twice), KIND(twice_fast),
    KIND(twice_large), KIND(size_out), KIND(twice_top), KIND(unmapped), KIND(realloc_pointer),
    KIND(realloc_old_size), KIND(realloc_next_size), KIND(mremapped), KIND(inside)};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			kinds[i].act();
	return 0;
}
