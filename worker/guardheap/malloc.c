/*
 * The functions of malloc's family, as the recorded program calls them. C++'s operators call these.
 */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "worker/guardheap/heap.h"
#include "worker/guardheap/lock.h"

#define EXPORTED __attribute__((visibility("default"), noinline))
#define CALLER	 ((uint64_t)__builtin_return_address(0))

/* Serials are written last: a search for that write finds the block whole. */
static void *take_locked(uint64_t size, uint64_t align, uint64_t caller)
{
	struct guardheap_table *table = heap_table();
	struct guardheap_block *block;

	if (size > PTRDIFF_MAX || !table_make())
		return NULL;
	block = guarded_take(size, align);
	if (!block)
		block = shared_take(size, align > HEAP_ALIGN_MAX ? align : HEAP_ALIGN_MAX);
	if (!block)
		return NULL;
	block->state = GUARDHEAP_LIVE;
	block->freed = block->freed_by = 0;
	block->allocated_by = caller;
	slack_fill(block);
	atomic_fetch_add((_Atomic uint64_t *)&heap_count()->blocks, 1);
	*(volatile uint64_t *)&block->allocated = ++table->serial;
	return (void *)block->address;
}

static void *take(uint64_t size, uint64_t align, uint64_t caller)
{
	void *address;

	lock_take();
	address = take_locked(size, align, caller);
	lock_release();
	if (!address)
		errno = ENOMEM;
	return address;
}

/* The live block that begins there; ends the program if there is none, or if something was written
 * beside it. */
static struct guardheap_block *sound_block(uint64_t address)
{
	struct guardheap_block *in = NULL, *block;
	uint64_t damage;

	block = table_make() ? table_find(address, &in) : NULL;
	if (block && block->state == GUARDHEAP_FREED)
		heap_stop(GUARDHEAP_DOUBLE_FREE, address, block);
	if (!block)
		heap_stop(in ? GUARDHEAP_INSIDE : GUARDHEAP_FOREIGN, address, in);
	damage = slack_damage(block);
	if (damage)
		heap_stop(GUARDHEAP_DAMAGED, damage, block);
	return block;
}

static void give_locked(uint64_t address, uint64_t caller)
{
	struct guardheap_block *block = sound_block(address);

	block->state = GUARDHEAP_FREED;
	block->freed_by = caller;
	*(volatile uint64_t *)&block->freed = ++heap_table()->serial;
	if (block->guarded)
		guarded_give(block);
	else
		shared_give(block);
}

static void give(void *pointer, uint64_t caller)
{
	int error = errno;

	if (!pointer)
		return;
	lock_take();
	give_locked((uint64_t)pointer, caller);
	lock_release();
	errno = error;
}

/* Always moves, so that a pointer to the old place is found. */
static void *resize(void *pointer, uint64_t size, uint64_t caller)
{
	struct guardheap_block *old;
	void *moved;

	if (!pointer)
		return take(size, 1, caller);
	if (size == 0) {
		give(pointer, caller);
		return NULL;
	}
	lock_take();
	old = sound_block((uint64_t)pointer);
	moved = take_locked(size, 1, caller);
	if (moved) {
		memcpy(moved, pointer, old->size < size ? old->size : size);
		give_locked((uint64_t)pointer, caller);
	}
	lock_release();
	if (!moved)
		errno = ENOMEM;
	return moved;
}

static bool is_power_of_two(size_t number)
{
	return number && (number & (number - 1)) == 0;
}

EXPORTED void *malloc(size_t size)
{
	return take(size, 1, CALLER);
}

EXPORTED void free(void *pointer)
{
	give(pointer, CALLER);
}

EXPORTED void *calloc(size_t count, size_t size)
{
	size_t bytes;
	void *address;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	address = take(bytes, 1, CALLER);
	/* Guarded blocks are new pages; those that share pages may have been used before. */
	if (address && (uint64_t)address >= heap_table()->shared &&
	    (uint64_t)address < heap_table()->shared_end)
		memset(address, 0, bytes);
	return address;
}

EXPORTED void *realloc(void *pointer, size_t size)
{
	return resize(pointer, size, CALLER);
}

EXPORTED void *reallocarray(void *pointer, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return resize(pointer, bytes, CALLER);
}

EXPORTED int posix_memalign(void **pointer, size_t align, size_t size)
{
	int error = errno;
	void *address;

	if (!is_power_of_two(align) || align % sizeof(void *))
		return EINVAL;
	address = take(size, align, CALLER);
	errno = error;
	if (!address)
		return ENOMEM;
	*pointer = address;
	return 0;
}

/* glibc rounds other alignments up. */
static size_t round_align(size_t align)
{
	size_t rounded = 1;

	while (rounded < align && rounded <= PTRDIFF_MAX / 2)
		rounded *= 2;
	return rounded;
}

EXPORTED void *memalign(size_t align, size_t size)
{
	return take(size, round_align(align), CALLER);
}

EXPORTED void *aligned_alloc(size_t align, size_t size)
{
	return take(size, round_align(align), CALLER);
}

EXPORTED void *valloc(size_t size)
{
	return take(size, GUARDHEAP_PAGE, CALLER);
}

EXPORTED void *pvalloc(size_t size)
{
	if (size > PTRDIFF_MAX)
		return errno = ENOMEM, NULL;
	return take((size + GUARDHEAP_PAGE - 1) & -GUARDHEAP_PAGE, GUARDHEAP_PAGE, CALLER);
}

EXPORTED size_t malloc_usable_size(void *pointer)
{
	struct guardheap_block *in, *block;
	size_t size;

	if (!pointer)
		return 0;
	lock_take();
	block = table_make() ? table_find((uint64_t)pointer, &in) : NULL;
	size = block ? block->size : 0;
	lock_release();
	return size;
}

/* Blocks that nobody frees: what was written beside them is seen when the program exits. */
__attribute__((destructor)) static void check_all(void)
{
	uint64_t damage;

	lock_take();
	for (uint32_t i = 1; heap_table()->magic && i <= heap_table()->count; i++) {
		struct guardheap_block *block = table_block(i);

		damage = block->state == GUARDHEAP_LIVE ? slack_damage(block) : 0;
		if (damage)
			heap_stop(GUARDHEAP_DAMAGED, damage, block);
	}
	lock_release();
}

/* A program that brings its own malloc has it before ours: the reference then leads there. */
__attribute__((constructor)) static void tell_others(void)
{
	void *(*volatile theirs)(size_t) = malloc;
	struct guardheap_block *in;
	void *probe = theirs(1);

	lock_take();
	if (table_make() && !table_find((uint64_t)probe, &in))
		atomic_fetch_add((_Atomic uint64_t *)&heap_count()->others, 1);
	lock_release();
	free(probe);
}
