/*
 * Bytes beside a block that no guard covers: alignment, or the other side's rest of the page. They
 * are filled with a pattern, so that a write to them is seen at the latest when the block is freed.
 */
#include "worker/guardheap/heap.h"

#define PATTERN 0xfd

struct sides {
	uint64_t below, above; /* bytes; [address - below, address), [end, end + above) */
};

static uint64_t at_most(uint64_t bytes)
{
	return bytes < GUARDHEAP_SLACK_MAX ? bytes : GUARDHEAP_SLACK_MAX;
}

static struct sides sides_of(const struct guardheap_block *block)
{
	const struct guardheap_table *table = heap_table();
	uint64_t end = block->address + block->size, begin;

	if (block->guarded) {
		if (block->size == 0)
			return (struct sides){0};
		return (struct sides){
		    at_most(block->address % GUARDHEAP_PAGE), at_most(-end % GUARDHEAP_PAGE)};
	}
	begin = table->shared + block->place * GUARDHEAP_UNIT;
	return (struct sides){
	    at_most(block->address - begin), at_most(begin + block->room * GUARDHEAP_UNIT - end)};
}

void slack_fill(const struct guardheap_block *block)
{
	const struct sides sides = sides_of(block);
	volatile uint8_t *below = (volatile uint8_t *)(block->address - sides.below);
	volatile uint8_t *above = (volatile uint8_t *)(block->address + block->size);

	for (uint64_t i = 0; i < sides.below; i++)
		below[i] = PATTERN;
	for (uint64_t i = 0; i < sides.above; i++)
		above[i] = PATTERN;
}

uint64_t slack_damage(const struct guardheap_block *block)
{
	const struct sides sides = sides_of(block);
	const uint8_t *below = (const uint8_t *)(block->address - sides.below);
	const uint8_t *above = (const uint8_t *)(block->address + block->size);

	for (uint64_t i = 0; i < sides.above; i++)
		if (above[i] != PATTERN)
			return (uint64_t)(above + i);
	for (uint64_t i = sides.below; i > 0; i--)
		if (below[i - 1] != PATTERN)
			return (uint64_t)(below + i - 1);
	return 0;
}
