/*
 * Blocks with pages of their own, and a page without access behind the last one. A freed block's
 * pages are mapped anew without access: that gives back their memory, and lets the kernel make one
 * mapping of all that lies free side by side. Their addresses are not used again before the table
 * or the address space is full.
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include "worker/guardheap/calls.h"
#include "worker/guardheap/heap.h"

#define LARGE_PAGES 16	 /* these have a limit and a queue of their own, because they are few */
#define LOOKED_AT   1000 /* of a queue */

static struct queue freed_small, freed_large;

static uint64_t pages_of(uint64_t bytes)
{
	return (bytes + GUARDHEAP_PAGE - 1) / GUARDHEAP_PAGE;
}

/* A size is a multiple of the alignment of everything that fits in the block exactly. */
static uint64_t natural_align(uint64_t size)
{
	const uint64_t least = heap_table()->align;
	uint64_t align = size & -size;

	if (align > HEAP_ALIGN_MAX || size == 0)
		align = HEAP_ALIGN_MAX;
	return align < least ? least : align;
}

static uint64_t address_in(uint64_t begin, uint64_t pages, uint64_t size, uint64_t align)
{
	if (align > GUARDHEAP_PAGE)
		return (begin + align - 1) & -align;
	if (heap_table()->mode == GUARDHEAP_BEFORE)
		return begin;
	return (begin + pages * GUARDHEAP_PAGE - size) & -align;
}

/* Pages with a guard behind them that nobody had before. */
static bool place_new(uint64_t pages, uint32_t number)
{
	struct guardheap_table *table = heap_table();

	if (table->guarded_end - table->guarded_next < (pages + 1) * GUARDHEAP_PAGE)
		return false;
	table_block(number)->place =
	    (uint32_t)((table->guarded_next - table->guarded) / GUARDHEAP_PAGE);
	table_block(number)->room = (uint32_t)pages;
	table->guarded_next += (pages + 1) * GUARDHEAP_PAGE;
	return true;
}

/* The oldest freed block's number, which stands for other pages from now on, or for the same. */
static uint32_t reuse(struct queue *queue, uint64_t pages)
{
	uint32_t number = queue_take(queue, pages, LOOKED_AT);

	if (!number)
		return 0;
	atomic_fetch_add((_Atomic uint64_t *)&heap_count()->reused, 1);
	table_set_owner(table_block(number), 0);
	return number;
}

static uint32_t place(uint64_t pages)
{
	struct queue *queue = pages < LARGE_PAGES ? &freed_small : &freed_large;
	const struct guardheap_table *table = heap_table();
	uint32_t number;

	if (table->guarded_end - table->guarded_next < (pages + 1) * GUARDHEAP_PAGE)
		return reuse(queue, pages);
	number = table_new();
	if (!number)
		return reuse(queue, pages);
	return place_new(pages, number) ? number : 0;
}

static bool open_pages(const struct guardheap_block *block, uint64_t size)
{
	uint64_t first = block->address & -GUARDHEAP_PAGE;
	uint64_t end = (block->address + size + GUARDHEAP_PAGE - 1) & -GUARDHEAP_PAGE;

	return size == 0 || calls_protect(first, end - first, PROT_READ | PROT_WRITE);
}

static struct queue *queue_of(const struct guardheap_block *block)
{
	return block->room < LARGE_PAGES ? &freed_small : &freed_large;
}

struct guardheap_block *guarded_take(uint64_t size, uint64_t align)
{
	struct guardheap_table *table = heap_table();
	uint64_t pages = pages_of(size ? size : 1);
	struct guardheap_block *block;
	uint32_t number;

	if (table->live >= (pages < LARGE_PAGES ? table->live_max : table->live_large_max))
		return NULL;
	if (align < natural_align(size))
		align = natural_align(size);
	if (align > GUARDHEAP_PAGE)
		pages += align / GUARDHEAP_PAGE;
	number = pages > UINT32_MAX ? 0 : place(pages);
	if (!number)
		return NULL;
	block = table_block(number);
	block->address =
	    address_in(table->guarded + block->place * GUARDHEAP_PAGE, block->room, size, align);
	block->size = size;
	block->guarded = 1;
	table_set_owner(block, number);
	if (open_pages(block, size)) {
		table->live++;
		return block;
	}
	/* The kernel allows no more mappings: leave some to the program. */
	if (table->live < table->live_max)
		table->live_max = table->live - table->live / 8;
	block->state = GUARDHEAP_FREED;
	queue_add(queue_of(block), number);
	return NULL;
}

void guarded_give(struct guardheap_block *block)
{
	struct guardheap_table *table = heap_table();
	uint64_t begin = table->guarded + block->place * GUARDHEAP_PAGE;
	uint64_t bytes = block->room * GUARDHEAP_PAGE;

	if (!calls_map(begin, bytes, PROT_NONE))
		calls_protect(begin, bytes, PROT_NONE);
	table->live--;
	queue_add(queue_of(block), table_number(block));
}
