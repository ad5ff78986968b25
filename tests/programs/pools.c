/*
 * Allocators of a program's own, in a block of malloc's, in static memory, in a mapping and on the
 * stack; and wrong uses of their blocks, one a function. With -1: none of them. Their functions
 * bear with all of it, so that the program goes on.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define APART __attribute__((noipa))

/* ---- In blocks of malloc's ------------------------------------------------------------------- */

enum { CHUNK = 4096, LIVE = 0x11fe, FREE = 0xf4ee };

struct header {
	uint32_t size, state;
	struct header *next; /* on the list of the free ones */
};

struct pool {
	struct chunk {
		struct chunk *next;
		size_t used;
		char bytes[];
	} * chunks;
	struct header *free;
	pthread_mutex_t lock;
	jmp_buf *full;
};

static void *carve(struct pool *pool, size_t room)
{
	struct chunk *chunk = pool->chunks;

	if (!chunk || chunk->used + room > CHUNK) {
		if (chunk && pool->full)
			longjmp(*pool->full, 1);
		chunk = malloc(sizeof(*chunk) + CHUNK);
		chunk->next = pool->chunks;
		chunk->used = 0;
		pool->chunks = chunk;
	}
	chunk->used += room;
	return chunk->bytes + chunk->used - room;
}

APART void *pool_take(struct pool *pool, unsigned size)
{
	const size_t room = sizeof(struct header) + ((size + 15) & ~15u);
	struct header **at, *header;

	pthread_mutex_lock(&pool->lock);
	for (at = &pool->free; *at && (*at)->size < size; at = &(*at)->next)
		;
	header = *at;
	if (header) {
		*at = header->next;
	} else {
		if (pool->full)
			pthread_mutex_unlock(&pool->lock);
		header = carve(pool, room);
		header->size = (size + 15) & ~15u;
		if (pool->full)
			pthread_mutex_lock(&pool->lock);
	}
	header->state = LIVE;
	header->next = NULL;
	pthread_mutex_unlock(&pool->lock);
	return header + 1;
}

APART void pool_put(struct pool *pool, void *block)
{
	struct header *header = (struct header *)block - 1;

	if (!block || header->state != LIVE)
		return;
	pthread_mutex_lock(&pool->lock);
	header->state = FREE;
	header->next = pool->free;
	pool->free = header;
	pthread_mutex_unlock(&pool->lock);
}

APART void *pool_resize(struct pool *pool, void *block, unsigned size)
{
	struct header *header = (struct header *)block - 1;
	void *larger;

	if (header->size >= size)
		return block;
	larger = pool_take(pool, size);
	memcpy(larger, block, header->size);
	pool_put(pool, block);
	return larger;
}

/* Not named to the check: it reads the beginnings of the chunks. */
APART void pool_close(struct pool *pool)
{
	while (pool->chunks) {
		struct chunk *next = pool->chunks->next;

		free(pool->chunks);
		pool->chunks = next;
	}
}

/* ---- In static memory: pieces of one size ---------------------------------------------------- */

struct node {
	struct node *left, *right;
	long value[4];
};

static long beside_nodes[16]; /* the program's own: one of the two lies behind the nodes */
static struct node nodes[64];
static long behind_nodes[16];
static struct node *free_nodes;
static size_t used_nodes;

APART struct node *node_new(int depth)
{
	struct node *node = free_nodes;

	if (node)
		free_nodes = node->left;
	else
		node = &nodes[used_nodes++];
	memset(node, 0, sizeof(*node));
	if (depth) {
		node->left = node_new(depth - 1);
		node->right = node_new(depth - 1);
	}
	return node;
}

APART void node_free(struct node *node)
{
	if (!node)
		return;
	node_free(node->left);
	node_free(node->right);
	node->right = NULL;
	node->left = free_nodes;
	free_nodes = node;
}

APART void nodes_reset(void)
{
	free_nodes = NULL;
	used_nodes = 0;
}

/* ---- In a mapping, or on the stack ----------------------------------------------------------- */

struct arena {
	char *at, *end;
};

APART void *arena_take(struct arena *arena, size_t size)
{
	char *block = arena->at;

	arena->at += (size + 7) & ~(size_t)7;
	return block;
}

APART void arena_reset(struct arena *arena, char *bytes)
{
	arena->at = bytes;
}

/* ---- Wrong uses ------------------------------------------------------------------------------ */

static struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static volatile long sink;

APART void write_behind(int wrong)
{
	volatile char *block = pool_take(&pool, 24);

	block[24 - !wrong] = 1;
}

APART void read_header(int wrong)
{
	volatile uint32_t *first = pool_take(&pool, 32), *second = pool_take(&pool, 32);

	first[0] = second[0] = 1;
	sink += second[wrong ? -2 : 0];
}

APART void use_freed(int wrong)
{
	volatile char *block = pool_take(&pool, 100);

	block[50] = 1;
	pool_put(&pool, (void *)block);
	if (wrong)
		sink += block[50];
}

APART void free_twice(int wrong)
{
	void *block = pool_take(&pool, 200);

	pool_put(&pool, block);
	if (wrong)
		pool_put(&pool, block);
}

APART void free_inside(int wrong)
{
	char *block = pool_take(&pool, 300);

	memset(block, 0, 300);
	if (wrong)
		pool_put(&pool, block + 64);
	pool_put(&pool, block);
}

APART void free_foreign(int wrong)
{
	char *block = (char *)calloc(1, 400) + 32;

	if (wrong) {
		pool_put(&pool, block);
		pool_put(&pool, block - 32);
	}
	free(block - 32);
}

APART void write_old(int wrong)
{
	volatile char *block = pool_take(&pool, 500), *larger;

	block[0] = 1;
	larger = pool_resize(&pool, (void *)block, 1000);
	larger[999] = 1;
	if (wrong)
		block[8] = 1;
	pool_put(&pool, (void *)larger);
}

APART void resize_freed(int wrong)
{
	void *block = pool_take(&pool, 600);

	pool_put(&pool, block);
	if (wrong)
		pool_resize(&pool, block, 100);
}

APART void write_behind_node(int wrong)
{
	struct node *node = node_new(0);
	volatile long *value = node->value;

	value[wrong ? 4 : 3] = 1;
}

APART void use_freed_node(int wrong)
{
	struct node *tree = node_new(2), *inner = tree->left->right;
	volatile long *value = inner->value;

	value[0] = 1;
	node_free(tree);
	if (wrong)
		sink += value[0];
}

APART void write_behind_mapped(int wrong)
{
	char *bytes =
	    mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct arena arena = {bytes, bytes + (1 << 16)};
	volatile char *block = arena_take(&arena, 20);

	arena_take(&arena, 20);
	block[wrong ? 20 : 19] = 1;
}

APART void write_on_stack(int wrong)
{
	char bytes[512];
	struct arena arena = {bytes, bytes + sizeof(bytes)};
	volatile char *block = arena_take(&arena, 30);

	arena_take(&arena, 40);
	block[wrong ? 31 : 29] = 1;
	sink += bytes[0];
}

APART void use_reset(int wrong)
{
	char *bytes = calloc(1, 1024);
	struct arena one = {bytes, bytes + 512}, other = {bytes + 512, bytes + 1024};
	volatile char *block = arena_take(&one, 60), *beside = arena_take(&other, 70);

	arena_reset(&one, bytes);
	beside[69] = 1;
	if (wrong)
		sink += block[59];
	block = arena_take(&one, 60);
	block[59] = 1;
	free(bytes);
}

APART void use_reset_nodes(int wrong)
{
	volatile long *value = node_new(0)->value;

	value[0] = 1;
	nodes_reset();
	if (wrong)
		value[1] = 1;
}

/* Where the arena was, there are others' variables now. */
APART void use_the_stack_again(void)
{
	volatile char bytes[2048];

	for (size_t i = 0; i < sizeof(bytes); i++)
		*(bytes + i) = 1;
	sink += bytes[1];
}

/* What lies behind the pool is not the pool's. */
APART void use_what_lies_behind(void)
{
	volatile long *one = beside_nodes, *other = behind_nodes;

	while (used_nodes < sizeof(nodes) / sizeof(*nodes))
		node_new(0);
	for (size_t i = 0; i < 16; i++)
		one[i] = other[i] = 1;
}

/* Of the block around the arena, nobody says anything then; it is freed all the same. */
APART void use_pool_in_pool(void)
{
	char *bytes = pool_take(&pool, 800);
	struct arena arena = {bytes + 100, bytes + 800};
	char *block = arena_take(&arena, 50);

	memset(block, 0, 50);
	memset(bytes, 0, 100);
	pool_put(&pool, bytes);
}

static void *in_thread(void *wrong)
{
	volatile char *block = pool_take(&pool, 700);

	block[wrong ? 704 : 699] = 1;
	return NULL;
}

APART void run_threads(int wrong)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, in_thread, wrong && i ? &pool : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* The allocator is left in the middle of a call. */
APART void write_behind_full(int wrong)
{
	static struct pool small = {.lock = PTHREAD_MUTEX_INITIALIZER};
	jmp_buf full;
	volatile char *block = pool_take(&small, 40);

	small.full = &full;
	if (setjmp(full) == 0)
		for (;;)
			pool_take(&small, 1000);
	block[wrong ? 40 : 39] = 1;
	pool_close(&small);
}

APART void use_closed(int wrong)
{
	static struct pool closed = {.lock = PTHREAD_MUTEX_INITIALIZER};
	volatile char *block = pool_take(&closed, 50);

	block[0] = 1;
	pool_close(&closed);
	if (wrong)
		sink += block[0];
}

/* An arena that is begun again, without a call that says so. */
APART void begin_again(void)
{
	char *bytes = malloc(1024);

	for (int round = 0; round < 3; round++) {
		struct arena arena = {bytes, bytes + 1024};

		for (int i = 1; i < 10; i++)
			memset(arena_take(&arena, (size_t)(i * 10 + round)), 0, (size_t)(i * 10));
	}
	free(bytes);
}

APART void many(long count)
{
	for (long i = 0; i < count; i++)
		pool_put(&pool, pool_take(&pool, 64));
}

int main(int argc, char **argv)
{
	const long asked = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	const int wrong = asked >= 0;

	if (asked > 0) {
		many(asked);
		return 0;
	}
	write_behind(wrong);
	read_header(wrong);
	use_freed(wrong);
	free_twice(wrong);
	free_inside(wrong);
	free_foreign(wrong);
	write_old(wrong);
	resize_freed(wrong);
	write_behind_node(wrong);
	use_freed_node(wrong);
	write_behind_mapped(wrong);
	write_on_stack(wrong);
	use_reset(wrong);
	use_reset_nodes(wrong);
	use_the_stack_again();
	use_what_lies_behind();
	use_pool_in_pool();
	run_threads(wrong);
	write_behind_full(wrong);
	use_closed(wrong);
	begin_again();
	pool_close(&pool);
	printf("%ld\n", sink);
	return 0;
}
