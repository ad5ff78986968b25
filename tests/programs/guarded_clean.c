/*
 * Uses all of malloc's family as it may be used, with threads and processes, and checks what it
 * gets. Exits with 0, or prints what was wrong. With "many": more blocks at a time than the kernel
 * has mappings for.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS	60
#define MANY	400

static void need(int holds, const char *what)
{
	if (holds)
		return;
	printf("wrong: %s\n", what);
	exit(1);
}

static int is_filled(const unsigned char *block, int with, size_t size)
{
	while (size > 0 && block[size - 1] == (unsigned char)with)
		size--;
	return size == 0;
}

static void *fill(void *block, int with, size_t size)
{
	need(block != NULL, "no block");
	memset(block, with, size);
	return block;
}

static void use_sizes(void)
{
	for (size_t size = 1; size < 9000; size += size < 100 ? 1 : 97) {
		unsigned char *block = fill(malloc(size), 1, size), *moved;

		need(malloc_usable_size(block) >= size, "usable size");
		need((uintptr_t)block % 2 == 0, "2 bytes are not aligned");
		need((size & 15) || (uintptr_t)block % 16 == 0, "16 bytes are not aligned");
		need((size & 7) || (uintptr_t)block % 8 == 0, "8 bytes are not aligned");
		moved = realloc(block, size + 5);
		need(is_filled(moved, 1, size), "realloc lost bytes");
		moved = reallocarray(moved, 1, size / 2 + 1);
		need(is_filled(moved, 1, size / 2 + 1), "reallocarray lost bytes");
		free(moved);
		block = calloc(3, size);
		need(is_filled(block, 0, 3 * size), "calloc");
		free(block);
	}
}

static void use_alignments(void)
{
	void *block = NULL;

	for (size_t align = 8; align <= 1 << 20; align *= 2) {
		need(posix_memalign(&block, align, 100) == 0, "posix_memalign");
		need((uintptr_t)block % align == 0, "posix_memalign's alignment");
		free(fill(block, 2, 100));
		block = memalign(align, 7);
		need((uintptr_t)block % align == 0, "memalign's alignment");
		free(fill(block, 3, 7));
		block = aligned_alloc(align, align);
		need((uintptr_t)block % align == 0, "aligned_alloc's alignment");
		free(fill(block, 4, align));
	}
	need(posix_memalign(&block, 3, 10) == EINVAL, "posix_memalign of 3");
	block = valloc(10);
	need((uintptr_t)block % 4096 == 0, "valloc");
	free(fill(block, 5, 10));
	block = pvalloc(10);
	need((uintptr_t)block % 4096 == 0, "pvalloc");
	free(fill(block, 6, 4096));
}

static void use_edges(void)
{
	volatile size_t huge = PTRDIFF_MAX, two = 2;
	void *empty = malloc(0), *other = malloc(0), *none;

	need(empty && other && empty != other, "malloc(0)");
	free(empty);
	free(other);
	free(NULL);
	errno = 0;
	none = malloc(huge);
	need(!none && errno == ENOMEM, "malloc of too much");
	none = calloc(huge, two + 1);
	need(!none, "calloc of too much");
	none = reallocarray(NULL, huge, two + 1);
	need(!none, "reallocarray of too much");
	free(fill(malloc(300 << 20), 0, 1));
	none = realloc(malloc(5), 0);
	need(!none, "realloc to 0");
	errno = 7;
	free(malloc(3));
	need(errno == 7, "free changed errno");
}

static void *use_in_thread(void *seed)
{
	unsigned char *blocks[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		blocks[i] = fill(malloc((size_t)i + 1), (int)(intptr_t)seed, (size_t)i + 1);
	for (int i = 0; i < ROUNDS; i++) {
		need(is_filled(blocks[i], (int)(intptr_t)seed, (size_t)i + 1), "a thread's block");
		free(blocks[i]);
	}
	return malloc(10);
}

static void use_threads_and_forks(void)
{
	pthread_t threads[THREADS];
	void *from;
	int status;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, use_in_thread, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (child == 0) {
			free(use_in_thread((void *)9));
			_exit(0);
		}
		need(waitpid(child, &status, 0) == child && status == 0, "a child");
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &from);
		free(from);
	}
}

static void use_many(void)
{
	static unsigned char *blocks[MANY];

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MANY; i++)
			blocks[i] = fill(malloc((size_t)(i % 70 + 1)), i, (size_t)(i % 70 + 1));
		for (int i = 0; i < MANY; i++) {
			need(is_filled(blocks[i], i, (size_t)(i % 70 + 1)), "blocks overlap");
			if (i % 3)
				blocks[i] = realloc(blocks[i], (size_t)(i % 70 + 200));
			need(is_filled(blocks[i], i, (size_t)(i % 70 + 1)), "realloc of many");
		}
		for (int i = 0; i < MANY; i++)
			free(blocks[i]);
	}
	unsigned char *cleared = calloc(200, 1);
	need(is_filled(cleared, 0, 200), "calloc of used memory");
	free(cleared);
}

static void *kept;

/* As handlers of libraries do. */
static void keep_other(void)
{
	free(kept);
	kept = fill(malloc(100), 7, 100);
}

static void handle_forks(int argc, char **argv, char **environment)
{
	(void)argc, (void)argv, (void)environment;
	need(pthread_atfork(keep_other, keep_other, keep_other) == 0, "pthread_atfork");
}

/* Before any library begins, the guard heap among them. */
__attribute__((section(".preinit_array"), used)) static void (*const before)(
    int, char **, char **) = handle_forks;

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "many") == 0) {
		use_many();
	} else {
		use_sizes();
		use_alignments();
		use_edges();
		use_threads_and_forks();
	}
	puts("clean");
	return 0;
}
