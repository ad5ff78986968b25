/*
 * A library with an allocator, as tcmalloc and jemalloc are: it has a lock of its own.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define POOL  (1 << 20)
#define BLOCK 256

static atomic_flag lock = ATOMIC_FLAG_INIT;
static char *pool;
static size_t used;
static struct freed {
	struct freed *next;
} * freed;

static void take(void)
{
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		;
	if (!pool)
		pool = mmap(NULL, POOL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void give(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
}

/* All blocks are of one size, or a multiple of it, which is never free again. */
void *malloc(size_t size)
{
	void *block;

	take();
	if (size <= BLOCK && freed) {
		block = freed;
		freed = freed->next;
	} else {
		block = pool + used + 16;
		*(size_t *)(pool + used) = size;
		used += (size + BLOCK - 1) / BLOCK * BLOCK + 16;
	}
	give();
	return block;
}

void free(void *block)
{
	if (!block || *(size_t *)((char *)block - 16) > BLOCK)
		return;
	take();
	((struct freed *)block)->next = freed;
	freed = block;
	give();
}

void *calloc(size_t count, size_t size)
{
	return memset(malloc(count * size), 0, count * size);
}

void *realloc(void *block, size_t size)
{
	void *moved = malloc(size);
	size_t old = block ? *(size_t *)((char *)block - 16) : 0;

	if (block)
		memcpy(moved, block, old < size ? old : size);
	free(block);
	return moved;
}
