/*
 * Finds the block by the chain of sizes from the heap's beginning on, and judges what malloc writes
 * there. LIMIT: of the arenas of threads and of blocks with a mapping of their own only those whose
 * chain can be recognized; of others it says nothing, and the way goes on as if the block were old.
 */
#include "worker/investigate/values/origin_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/accessed.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/read/code/mappings.h"
#include "worker/breaks/watchpoint.h"

#define PART		 (256u << 10) /* bytes of the heap that are read at once */
#define HEAP_MAX	 (64ULL << 20)
#define LOOKS_MAX	 2000 /* writes that are looked at */
#define CHUNK_MIN	 32
#define HEADER		 16
#define FLAGS		 7ULL
#define FLAG_MAPPED	 2
#define FLAG_BELOW_TAKEN 1
#define PAGE_BYTES_MASK	 0xfffULL
/* Where the first chunk of a thread's arena may lie, behind what describes the arena. */
#define ARENA_FIRST 0x890
#define ARENA_LAST  0x940
#define FIRST_LOOKED_AT                                                                            \
	(64u << 10) /* bytes of the heap in which malloc's first chunk is looked for */

struct part {
	unsigned long long from;
	size_t length;
	uint8_t bytes[PART];
};

/* The word before the chunk's memory: its size with flags. 0: it cannot be read. */
static unsigned long long size_at(
    struct replay *replay, struct part *part, unsigned long long chunk)
{
	unsigned long long at = chunk + 8, size;

	if (at < part->from || at + sizeof(size) > part->from + part->length) {
		part->from = at;
		part->length = accessed_bytes(replay, at, part->bytes, sizeof(part->bytes));
		if (part->length < sizeof(size))
			part->length = accessed_bytes(replay, at, part->bytes, PAGE_BYTES_MASK + 1);
	}
	if (part->length < sizeof(size))
		return 0;
	memcpy(&size, part->bytes + (at - part->from), sizeof(size));
	return size;
}

/* The chunk with the address in it, in a chain that begins here; 0: the chain breaks before. */
static unsigned long long follow_chain(struct replay *replay, struct part *part,
    unsigned long long first, unsigned long long end, unsigned long long address)
{
	for (unsigned long long chunk = first; chunk && chunk + HEADER <= address && chunk < end;) {
		unsigned long long size = size_at(replay, part, chunk) & ~FLAGS;

		if (size < CHUNK_MIN || size % 16 || size > end - chunk)
			return 0;
		/* The last word of a block is in the next chunk's beginning. */
		if (address < chunk + size + 8)
			return chunk;
		chunk += size;
	}
	return 0;
}

/* Whether a chain that begins here ends exactly where the heap does. */
static bool is_whole_chain(
    struct replay *replay, struct part *part, unsigned long long first, unsigned long long end)
{
	unsigned long long chunk = first, size = 0;

	while (chunk < end) {
		size = size_at(replay, part, chunk) & ~FLAGS;
		if (size < CHUNK_MIN || size % 16 || size > end - chunk)
			return false;
		chunk += size;
	}
	return true;
}

/* Malloc's first chunk. What took memory before it lies below: the data of the first thread in a
 * static program, or a program that calls sbrk. 0: none that leads to the end of the heap. */
static unsigned long long first_chunk(
    struct replay *replay, struct part *part, const struct mapping *mapping)
{
	for (unsigned long long at = mapping->start;
	     at < mapping->end && at - mapping->start <= FIRST_LOOKED_AT; at += 16)
		if (is_whole_chain(replay, part, at, mapping->end))
			return at;
	return 0;
}

static unsigned long long find_chunk(
    struct replay *replay, const struct mapping *mapping, unsigned long long address)
{
	struct part *part = calloc(1, sizeof(*part));
	unsigned long long chunk = 0, size;

	if (!part)
		return 0;
	if (strcmp(mapping->file, "[heap]") == 0) {
		chunk = follow_chain(replay, part, mapping->start, mapping->end, address);
		if (!chunk)
			chunk = follow_chain(replay, part, first_chunk(replay, part, mapping),
			    mapping->end, address);
	} else {
		size = size_at(replay, part, mapping->start);
		if ((size & FLAG_MAPPED) && !((size & ~FLAGS) & PAGE_BYTES_MASK) &&
		    address < mapping->start + (size & ~FLAGS))
			chunk = mapping->start;
		for (unsigned long long at = ARENA_FIRST; !chunk && at <= ARENA_LAST; at += 16)
			chunk =
			    follow_chain(replay, part, mapping->start + at, mapping->end, address);
	}
	free(part);
	return chunk;
}

/* Memory that no file is mapped to, and that is no stack. */
static bool may_be_heap(const struct mapping *mapping, unsigned long long address)
{
	return mapping && address >= mapping->start && mapping->rights[1] == 'w' &&
	       (strcmp(mapping->file, "[heap]") == 0 || !mapping->file[0]) &&
	       mapping->end - mapping->start <= HEAP_MAX;
}

/* The block with the bytes where the program stands; 0: none that could be found. */
static unsigned long long find_block(struct origin *origin)
{
	struct replay *replay = origin->replay;
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	const struct mapping *mapping = mappings_find(mappings, origin->now.address);
	unsigned long long chunk = 0;

	if (may_be_heap(mapping, origin->now.address)) {
		if (!origin->allocator.return_count)
			origin->has_allocator = allocator_find(replay, &origin->allocator);
		if (origin->has_allocator && !origin->allocator.replaced)
			chunk = find_chunk(replay, mapping, origin->now.address);
	}
	return chunk ? chunk + HEADER : 0;
}

void origin_block_watch(struct origin *origin, struct origin_block *block)
{
	/* In the middle of realloc, where a search may go on, it could not be found again. */
	if (!block->address)
		*block = (struct origin_block){.address = find_block(origin)};
	if (!block->address)
		return;
	block->header = watchpoint_insert_word(origin->replay, block->address - 8, WATCH_WRITE);
	block->first = watchpoint_insert_word(origin->replay, block->address, WATCH_WRITE);
}

void origin_block_unwatch(struct origin *origin, struct origin_block *block)
{
	temporary_breakpoint_delete(origin->replay, block->header);
	temporary_breakpoint_delete(origin->replay, block->first);
	block->header = block->first = 0;
}

bool origin_block_is_watched(const struct origin_block *block, int number)
{
	return number && (number == block->header || number == block->first);
}

/* The header also tells whether the block below is in use: that changes with the neighbour. */
static bool is_only_flags(const struct hit *hit)
{
	return hit->old && hit->new &&
	       (strtoull(hit->old, NULL, 0) & ~FLAGS) == (strtoull(hit->new, NULL, 0) & ~FLAGS);
}

/* Whether the block was the program's, with this header. One with a mapping of its own is; of
 * others the block behind it tells. Behind the last one is nothing that can be read. */
static bool was_taken(
    struct replay *replay, const struct origin_block *block, unsigned long long header)
{
	cleanup_mappings struct mappings *mappings = mappings_read(replay);
	const struct mapping *mapping = mappings_find(mappings, block->address);
	unsigned long long next = 0;
	bool is_block = may_be_heap(mapping, block->address) &&
			find_chunk(replay, mapping, block->address) + HEADER == block->address;

	if (!is_block || (header & FLAG_MAPPED))
		return is_block;
	return accessed_whole(
		   replay, block->address - 8 + (header & ~FLAGS), &next, sizeof(next)) &&
	       (next & FLAG_BELOW_TAKEN);
}

/*
 * At a write of realloc beside the bytes. It writes to the first word of the old block, which it
 * releases, and of the new one, to which it copies. It writes the header of a block that gets
 * longer or shorter where it is, and of one that it cuts off a free one.
 */
static enum origin_life judge_realloc(
    struct origin *origin, const struct origin_block *block, const struct hit *hit)
{
	unsigned long long old, end;

	if (hit->number != block->header)
		return LIFE_DOUBT;
	if (!hit->old)
		return LIFE_SAME;
	old = strtoull(hit->old, NULL, 0);
	if (!was_taken(origin->replay, block, old))
		return LIFE_COPIED;
	end = block->address + (old & ~FLAGS) - 8;
	return origin->now.address + origin->now.size <= end ? LIFE_SAME : LIFE_GROWN;
}

static bool is_release(const char *by)
{
	return strcmp(by, "free") == 0 || strncmp(by, "operator delete", 15) == 0;
}

bool origin_block_begins(
    struct origin *origin, struct origin_block *block, const struct hit *hit, bool written)
{
	struct replay *replay = origin->replay;
	bool ours = origin_block_is_watched(block, hit->number);

	if (!block->address || (!ours && !written) || ++block->looks > LOOKS_MAX ||
	    (hit->number == block->header && is_only_flags(hit)) ||
	    allocator_accessor(replay, &origin->allocator) != ACCESSOR_ALLOCATOR)
		return false;
	allocator_called(replay, &origin->allocator, block->by, sizeof(block->by));
	if (strcmp(block->by, "calloc") == 0) {
		block->life = LIFE_ZEROED;
	} else if (strstr(block->by, "realloc")) {
		/* What it copies is followed. */
		block->life = written ? LIFE_SAME : judge_realloc(origin, block, hit);
	} else {
		block->life = is_release(block->by) ? LIFE_FREED : LIFE_NEW;
	}
	return block->life != LIFE_SAME;
}
