/*
 * See pools.h. Must never mark what may be the program's own, and never keep a mark where the block
 * is gone.
 */
#include "worker/softpmu/scan/pools.h"

#include <stdlib.h>

#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/tracees.h"

#define FRAME_MAX (1ull << 20) /* of the stack, with a pool in it */

void pools_add(struct heapcheck *check, uint64_t address, uint64_t gives, uint64_t takes)
{
	struct pool_function *function;

	if (!check->pools)
		check->pools = calloc(1, sizeof *check->pools);
	if (!check->pools || check->pools->count == POOLS_FUNCTIONS) {
		check->table.state |= CHECK_LOST;
		return;
	}
	function = &check->pools->function[check->pools->count++];
	*function = (struct pool_function){.address = address,
	    .gives = gives,
	    .frees = check_pool_register(takes),
	    .name = check_pool_name(takes)};
}

void pools_free(struct pools *pools)
{
	if (!pools)
		return;
	poolblocks_free(&pools->blocks);
	poolblocks_free(&pools->chunks);
	poolblocks_free(&pools->replaced);
	free(pools);
}

const struct pool_function *pools_function(const struct pools *pools, uint64_t address)
{
	for (size_t i = 0; pools && i < pools->count; i++) {
		if (pools->function[i].address == address)
			return &pools->function[i];
	}
	return NULL;
}

static uint64_t end_of(const struct poolblock *block)
{
	return block->start + block->size;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- Memory in which blocks lie -------------------------------------------------------------- */

/* Of a stack in a mapping: one in a block of malloc's is known by that. */
static struct range stack_at(struct pools *pools, pid_t tid, uint64_t sp)
{
	const struct poolblock *chunk = poolblocks_around(&pools->chunks, sp);
	struct mappings mappings = {0};
	const struct mapping *mapping;

	if (chunk)
		return (struct range){chunk->start, end_of(chunk)};
	if ((sp < pools->stack.start || sp >= pools->stack.end) && mappings_read(&mappings, tid)) {
		mapping = mappings_find(&mappings, sp);
		pools->stack.start = mapping ? mapping->start : 0;
		pools->stack.end = mapping ? mapping->end : 0;
		mappings_free(&mappings);
	}
	return pools->stack;
}

static struct pool_frame *frame_at(struct pools *pools, pid_t tid, uint64_t slot)
{
	for (size_t i = 0; i < pools->frames; i++) {
		if (pools->frame[i].tid == tid && pools->frame[i].slot == slot)
			return &pools->frame[i];
	}
	return NULL;
}

/* The end of the frame with the address in it, which is noted from here on. 0: it is not known, or
 * there is no room. */
static uint64_t note_frame(
    struct heapcheck *check, const struct tracee *tracee, uint64_t address, uint64_t end_of_stack)
{
	struct pools *pools = check->pools;
	const uint64_t limit = least(address + FRAME_MAX, end_of_stack),
		       slot = heapshadow_next(&check->shadow, address, limit, SHADOW_RETURN);
	struct pool_frame *frame;
	uint64_t back;

	if (!heapreturns_are_noted(check) || slot == limit)
		return 0;
	frame = frame_at(pools, tracee->tid, slot);
	if (frame) {
		frame->low = least(frame->low, address);
		return slot;
	}
	if (pools->frames == POOLS_FRAMES || !memory_read_word(tracee->tid, slot, &back) ||
	    !heapcheck_ask_at(check, tracee->space, back))
		return 0;
	pools->frame[pools->frames++] =
	    (struct pool_frame){tracee->tid, address, slot, end_of_stack};
	return slot;
}

/* What of the memory around a block may be marked. Empty: not even the block. */
static struct range room_of(struct heapcheck *check, const struct tracee *tracee,
    const struct poolblock *block, uint64_t sp)
{
	const struct range stack = stack_at(check->pools, tracee->tid, sp);
	const struct poolblock *chunk = poolblocks_around(&check->pools->chunks, block->start);

	if (block->start >= sp && block->start < stack.end && sp >= stack.start)
		return (struct range){sp, note_frame(check, tracee, block->start, stack.end)};
	if (chunk)
		return (struct range){chunk->start, end_of(chunk)};
	return (struct range){0, UINT64_MAX};
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Somebody else may still free it. */
static void replace(struct pools *pools, uint64_t start, uint64_t end)
{
	for (struct poolblock *block; (block = poolblocks_first(&pools->blocks, start, end));) {
		const struct poolblock gone = {.start = block->start};

		if (!block->dropped && !poolblocks_at(&pools->replaced, gone.start))
			poolblocks_add(&pools->replaced, &gone);
		poolblocks_remove(&pools->blocks, gone.start);
	}
}

/* What is close around a block. */
static void mark_around(
    struct heapcheck *check, const struct poolblock *block, const struct range *room)
{
	const struct poolblocks *blocks = &check->pools->blocks;
	const struct poolblock *before = poolblocks_before(blocks, block->start - 1),
			       *behind = poolblocks_behind(blocks, block->start);
	uint64_t end = end_of(block), limit = least(end + POOLS_BEHIND, room->end);

	if (before && before->name == block->name && end_of(before) >= room->start &&
	    block->start - end_of(before) <= POOLS_GAP)
		heapshadow_mark(&check->shadow, end_of(before), block->start, SHADOW_OUTSIDE);
	if (behind && behind->start < room->end &&
	    (behind->start < limit ||
		(behind->name == block->name && behind->start - end <= POOLS_GAP)))
		limit = behind->start;
	if (end < limit)
		heapshadow_mark(&check->shadow, end, limit, SHADOW_OUTSIDE);
}

void pools_give(struct heapcheck *check, const struct tracee *tracee, const struct poolblock *given,
    uint64_t sp)
{
	struct pools *pools = check->pools;
	const struct poolblock *chunk = poolblocks_around(&pools->chunks, given->start);
	struct poolblock block = *given;
	struct range room;

	if (end_of(&block) < block.start)
		return;
	if (chunk && chunk->size < block.size + POOLS_GAP)
		pools_note_wrapper(check); /* before its block there may be a header */
	replace(pools, block.start, end_of(&block));
	poolblocks_remove(&pools->replaced, block.start);
	room = room_of(check, tracee, &block, sp);
	block.judged = room.end > block.start;
	if (!poolblocks_add(&pools->blocks, &block))
		check->table.state |= CHECK_LOST;
	if (!block.judged)
		return;
	heapshadow_mark(&check->shadow, block.start, least(end_of(&block), room.end), SHADOW_CLEAR);
	mark_around(check, &block, &room);
}

void pools_drop(struct heapcheck *check, struct poolblock *block, uint64_t number)
{
	const struct poolblock *chunk = poolblocks_around(&check->pools->chunks, block->start);
	const uint64_t end = end_of(block);

	block->dropped = number;
	if (block->judged)
		heapshadow_mark(&check->shadow, block->start,
		    chunk ? least(end, end_of(chunk)) : end, SHADOW_FREED);
}

void pools_note_wrapper(struct heapcheck *check)
{
	check->table.state |= CHECK_WRAPS;
}

void pools_drop_all(struct heapcheck *check, uint64_t pool, uint64_t number)
{
	const struct poolblocks *blocks = &check->pools->blocks;

	for (struct poolblock *block = poolblocks_behind(blocks, 0); block;
	     block = poolblocks_behind(blocks, block->start)) {
		if (!block->dropped && block->pool == pool)
			pools_drop(check, block, number);
	}
}

bool pools_is_foreign(const struct pools *pools, uint64_t address)
{
	const struct poolblock *chunk = poolblocks_around(&pools->chunks, address);

	return chunk && !poolblocks_first(&pools->blocks, chunk->start, end_of(chunk));
}

bool pools_may_be_block(struct heapcheck *check, uint64_t address)
{
	struct pools *pools = check->pools;

	if (poolblocks_at(&pools->replaced, address)) {
		poolblocks_remove(&pools->replaced, address);
		return true;
	}
	return (check->table.state & CHECK_WRAPS) && pools_is_foreign(pools, address);
}

/* ---- Which one is meant ---------------------------------------------------------------------- */

static uint64_t distance(uint64_t start, uint64_t size, uint64_t address)
{
	if (address < start)
		return start - address;
	return address - start < size ? 0 : address - (start + size);
}

/* A live one rather than a freed one that is as near. */
static const struct poolblock *nearer(
    const struct poolblock *one, const struct poolblock *other, uint64_t address)
{
	uint64_t to_one, to_other;

	if (!one || !other)
		return one ? one : other;
	to_one = distance(one->start, one->size, address);
	to_other = distance(other->start, other->size, address);
	if (to_one == 0)
		return one;
	return to_other < to_one || (to_other == to_one && one->dropped) ? other : one;
}

const struct poolblock *pools_near(
    const struct pools *pools, uint64_t address, const struct heapblock *heap)
{
	const struct poolblock *block;
	uint64_t there;

	if (!pools)
		return NULL;
	block = nearer(poolblocks_before(&pools->blocks, address),
	    poolblocks_behind(&pools->blocks, address), address);
	if (!block)
		return NULL;
	there = distance(block->start, block->size, address);
	if (there > POOLS_GAP)
		return NULL;
	if (!heap || poolblocks_around(&pools->chunks, address))
		return block;
	return there <= distance(heap->start, heap->size, address) ? block : NULL;
}

/* ---- What happens to the memory -------------------------------------------------------------- */

void pools_note_made(struct pools *pools, uint64_t start, uint64_t size)
{
	const struct poolblock chunk = {.start = start, .size = size};

	if (!pools)
		return;
	replace(pools, start, start + size);
	poolblocks_clear(&pools->chunks, start, start + size);
	poolblocks_add(&pools->chunks, &chunk);
}

void pools_note_dropped(struct pools *pools, uint64_t start, uint64_t size, uint64_t number)
{
	const uint64_t end = start + size;
	struct poolblock *block = pools ? poolblocks_first(&pools->blocks, start, end) : NULL;

	if (!pools)
		return;
	for (; block && block->start < end;
	     block = poolblocks_behind(&pools->blocks, block->start)) {
		if (!block->dropped)
			block->dropped = number;
	}
	poolblocks_remove(&pools->chunks, start);
}

void pools_note_unmapped(struct pools *pools, uint64_t start, uint64_t end)
{
	if (pools)
		poolblocks_clear(&pools->blocks, start, end);
}

/* The marks below its end. */
static void leave_frame(struct heapcheck *check, const struct pool_frame *frame)
{
	replace(check->pools, frame->low, frame->slot);
	heapshadow_mark(&check->shadow, frame->low - POOLS_GAP, frame->slot, SHADOW_CLEAR);
}

void pools_note_stack(struct heapcheck *check, const struct tracee *tracee, uint64_t sp)
{
	struct pools *pools = check->pools;

	for (size_t i = pools ? pools->frames : 0; i-- > 0;) {
		const struct pool_frame *frame = &pools->frame[i];

		if (frame->tid != tracee->tid || sp <= frame->slot || sp > frame->end)
			continue;
		leave_frame(check, frame);
		pools->frame[i] = pools->frame[--pools->frames];
	}
}
