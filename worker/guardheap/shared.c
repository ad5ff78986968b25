/*
 * Blocks for which there are no mappings left: they lie side by side. Freed ones are handed out
 * again, the oldest of a size first.
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include "worker/guardheap/calls.h"
#include "worker/guardheap/heap.h"

#define EXACT	   64 /* units up to which there is a class for each number of them */
#define CLASSES	   (EXACT + 1 + 4 * 32)
#define GROWTH	   (4ULL << 20)
#define GIVEN_BACK (64ULL << 10) /* from as many bytes on, the kernel gets freed ones */

static struct queue freed[CLASSES];
static uint64_t opened; /* bytes of the part that can be accessed */

/* Rounds units up to a size that has a class: four for each power of two. */
static unsigned class_of(uint64_t *units)
{
	unsigned shift = 0;

	if (*units <= EXACT)
		return (unsigned)*units;
	while ((*units - 1) >> shift >= 8)
		shift++;
	*units = ((*units + (1ULL << shift) - 1) >> shift) << shift;
	return EXACT + 1 + (shift - 4) * 4 + (unsigned)((*units - 1) >> shift) - 4;
}

static bool extend(uint64_t bytes)
{
	struct guardheap_table *table = heap_table();
	uint64_t used = table->shared_next - table->shared + bytes;
	uint64_t wanted = (used + GROWTH - 1) & -GROWTH;

	if (table->shared_end - table->shared_next < bytes)
		return false;
	if (wanted > table->shared_end - table->shared)
		wanted = table->shared_end - table->shared;
	if (wanted > opened &&
	    !calls_protect(table->shared + opened, wanted - opened, PROT_READ | PROT_WRITE))
		return false;
	if (wanted > opened)
		opened = wanted;
	return true;
}

static uint32_t place_new(uint64_t units)
{
	struct guardheap_table *table = heap_table();
	uint32_t number = extend(units * GUARDHEAP_UNIT) ? table_new() : 0;

	if (!number)
		return 0;
	table_block(number)->place =
	    (uint32_t)((table->shared_next - table->shared) / GUARDHEAP_UNIT);
	table_block(number)->room = (uint32_t)units;
	table->shared_next += units * GUARDHEAP_UNIT;
	return number;
}

struct guardheap_block *shared_take(uint64_t size, uint64_t align)
{
	const struct guardheap_table *table = heap_table();
	uint64_t units = (size + GUARDHEAP_UNIT - 1) / GUARDHEAP_UNIT + (size == 0);
	struct guardheap_block *block;
	unsigned class;
	uint32_t number;

	if (align > GUARDHEAP_UNIT)
		units += align / GUARDHEAP_UNIT;
	if (units > (table->shared_end - table->shared) / GUARDHEAP_UNIT)
		return NULL;
	class = class_of(&units);
	number = queue_take(&freed[class], units, 1);
	if (number) {
		atomic_fetch_add((_Atomic uint64_t *)&heap_count()->reused, 1);
		table_set_owner(table_block(number), 0);
	} else if (!(number = place_new(units))) {
		return NULL;
	}
	block = table_block(number);
	block->address = (table->shared + block->place * GUARDHEAP_UNIT + align - 1) & -align;
	block->size = size;
	block->guarded = 0;
	table_set_owner(block, number);
	atomic_fetch_add((_Atomic uint64_t *)&heap_count()->unguarded, 1);
	return block;
}

void shared_give(struct guardheap_block *block)
{
	uint64_t units = block->room, bytes = units * GUARDHEAP_UNIT;
	uint64_t begin = heap_table()->shared + block->place * GUARDHEAP_UNIT;
	uint64_t first = (begin + GUARDHEAP_PAGE - 1) & -GUARDHEAP_PAGE;
	uint64_t end = (begin + bytes) & -GUARDHEAP_PAGE;

	if (bytes >= GIVEN_BACK)
		call3(SYS_madvise, (long)first, (long)(end - first), MADV_DONTNEED);
	queue_add(&freed[class_of(&units)], table_number(block));
}
