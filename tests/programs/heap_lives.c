/*
 * Blocks without a mistake that look like one at first sight: freed memory that somebody else got,
 * blocks that realloc moved, that the C library frees, or that were never malloc's. And three
 * mistakes at the end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BIG (1 << 20)

char *reused, *split, *grown, *moved, *moved_to, *zeroed, *aligned, *posix_aligned, *copied;
char *of_thread, *mapped, *mapped_again, *stale_copy, *inner;
FILE *stream;
volatile long seen;

__attribute__((noipa)) static char *take(size_t bytes)
{
	char *block = malloc(bytes); /* taken here */

	block[0] = 1;
	return block;
}

__attribute__((noipa)) static void give_back(void *block)
{
	free(block);	 /* given back here */
	seen = seen + 1; /* no tail call */
}

__attribute__((noipa)) static void touch(volatile char *at)
{
	*at = (char)(*at + 1);
}

__attribute__((noipa)) static void reuse(void)
{
	reused = take(56);
	give_back(reused);
	reused = take(56);
	touch(reused);
	/* The next block begins where this one did, but does not reach its middle. */
	split = take(3000);
	take(16);
	give_back(split);
	char *part = take(100);
	touch(part);
	give_back(part);
	seen += part == split;
}

__attribute__((noipa)) static void resize(void)
{
	grown = take(5000);
	grown = realloc(grown, 6000); /* grown here */
	touch(grown);
	moved = take(5000);
	take(5000);
	moved_to = realloc(moved, 50000); /* moved here */
	touch(moved_to);
}

__attribute__((noipa)) static void allocate_otherwise(void)
{
	void *block = NULL;

	zeroed = calloc(300, 10); /* zeroed here */
	touch(zeroed);
	aligned = aligned_alloc(256, 512); /* aligned here */
	touch(aligned);
	if (posix_memalign(&block, 512, 512) == 0) /* aligned to order here */
		posix_aligned = block;
	touch(posix_aligned);
	copied = strdup("a copy of this text"); /* copied here */
	give_back(copied);
}

static void *work(void *unused)
{
	of_thread = take(72);
	touch(of_thread);
	give_back(of_thread);
	return unused;
}

__attribute__((noipa)) static void use_a_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
}

__attribute__((noipa)) static void let_the_library_free(void)
{
	stream = fopen("/dev/null", "w"); /* opened here */
	fputs("text", stream);
	fclose(stream); /* closed here */
	touch((char *)&seen);
}

__attribute__((noipa)) static void map_again(void)
{
	mapped = take(BIG);
	give_back(mapped);
	mapped_again = mmap(mapped - 16, BIG, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	touch(mapped_again + 100);
}

__attribute__((noipa)) static void copy_from_freed(void)
{
	char text[24];

	memcpy(text, stale_copy, sizeof(text)); /* copied from freed memory */
	seen += text[3];
}

int main(void)
{
	reuse();
	resize();
	allocate_otherwise();
	use_a_thread();
	let_the_library_free();
	map_again();
	stale_copy = take(2000);
	take(16);
	give_back(stale_copy);
	copy_from_freed();
	inner = take(96);
	printf("%ld %d\n", seen, mapped_again == mapped - 16);
	fflush(stdout);
	give_back(inner + 32);
	return 0;
}
