/*
 * The table of blocks: entries by number, a hash table from addresses, chains of unlinked jumps,
 * and an index from pages of original code to the entries made from them. It must never leave a
 * body in force whose code has changed.
 */
#include "worker/softpmu/cache/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/cache/pageindex.h"

enum {
	ENTRIES_FIRST = 1 << 12,
	INT3 = 0xcc,
	JUMP = 0xe9,
	INSTRUCTION_MAX = 15,
	STUB_SIZE = 2,
};

struct site {
	uint32_t offset;
	uint32_t next;
};

struct blocks {
	const struct arena *arena;
	struct block_entry *entry;
	uint32_t count, room; /* entry 0 is none */
	uint32_t *hash;	      /* twice as many as there is room for; a power of two */
	struct site *site;
	uint32_t sites, site_room;
	struct pageindex *pages;
};

uint64_t blocks_hash(const uint8_t *bytes, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ull;
	return hash;
}

struct blocks *blocks_new(const struct arena *arena)
{
	struct blocks *blocks = calloc(1, sizeof *blocks);

	if (!blocks)
		return NULL;
	blocks->arena = arena;
	blocks->room = ENTRIES_FIRST;
	blocks->site_room = ENTRIES_FIRST;
	blocks->entry = malloc(blocks->room * sizeof *blocks->entry);
	blocks->site = malloc(blocks->site_room * sizeof *blocks->site);
	blocks->hash = malloc(blocks->room * 2 * sizeof *blocks->hash);
	blocks->pages = pageindex_new();
	if (!blocks->entry || !blocks->site || !blocks->hash || !blocks->pages) {
		blocks_free(blocks);
		return NULL;
	}
	blocks_clear(blocks);
	return blocks;
}

void blocks_free(struct blocks *blocks)
{
	if (!blocks)
		return;
	pageindex_free(blocks->pages);
	free(blocks->entry);
	free(blocks->site);
	free(blocks->hash);
	free(blocks);
}

void blocks_clear(struct blocks *blocks)
{
	blocks->count = blocks->sites = 1;
	memset(blocks->hash, 0, blocks->room * 2 * sizeof *blocks->hash);
	pageindex_clear(blocks->pages);
}

/*
 * The stub of an entry in a part: blocks of another part are reached from there as well. Behind the
 * int3 is a byte that is nothing's, so that who stands there has come from this stub.
 */
static uint32_t stub_offset(uint32_t number)
{
	return ARENA_CODE_END + number * STUB_SIZE;
}

/* A copy of `count` things in place of what is there, with room for `room`. */
static bool copy_list(void *list, const void *from, size_t size, size_t count, size_t room)
{
	void **at = list, *larger = realloc(*at, room * size);

	if (!larger)
		return false;
	memcpy(larger, from, count * size);
	*at = larger;
	return true;
}

/* Whoever jumps to this block from any part comes to us. */
static void put_stubs(struct blocks *blocks, uint32_t number)
{
	for (int i = 0; i < ARENA_PARTS; i++) {
		if (blocks->arena->part[i].memory)
			blocks->arena->part[i].memory[stub_offset(number)] = INT3;
	}
}

static void put_to_sleep(struct blocks *blocks, uint32_t number)
{
	struct block_entry *entry = &blocks->entry[number];

	entry->native = false;
	entry->body = 0;
	put_stubs(blocks, number);
	for (int i = 0; i < BLOCK_VARIANTS; i++) {
		if (entry->variant[i].body)
			blocks->arena->part[entry->part].memory[entry->variant[i].body] = INT3;
	}
}

bool blocks_copy(struct blocks *blocks, const struct blocks *from)
{
	if (!copy_list(&blocks->entry, from->entry, sizeof *from->entry, from->count, from->room) ||
	    !copy_list(&blocks->hash, from->hash, sizeof *from->hash, (size_t)from->room * 2,
		(size_t)from->room * 2) ||
	    !copy_list(&blocks->site, from->site, sizeof *from->site, from->sites, from->site_room))
		return false;
	blocks->count = from->count;
	blocks->room = from->room;
	blocks->sites = from->sites;
	blocks->site_room = from->site_room;
	pageindex_clear(blocks->pages);
	for (uint32_t number = 1; number < blocks->count; number++)
		put_to_sleep(blocks, number);
	return true;
}

uint32_t blocks_count(const struct blocks *blocks)
{
	return blocks->count;
}

struct block_entry *blocks_get(struct blocks *blocks, uint32_t number)
{
	return &blocks->entry[number];
}

/* The address's place in the hash table. */
static uint32_t *slot_of(const struct blocks *blocks, uint64_t original)
{
	uint32_t mask = blocks->room * 2 - 1;
	uint32_t at = (uint32_t)((original * 0x9e3779b97f4a7c15ull) >> 40) & mask;

	while (blocks->hash[at] && blocks->entry[blocks->hash[at]].original != original)
		at = (at + 1) & mask;
	return &blocks->hash[at];
}

static bool grow_entries(struct blocks *blocks)
{
	uint32_t room = blocks->room * 2;
	struct block_entry *entry;
	uint32_t *hash = calloc((size_t)room * 2, sizeof *hash);

	entry = hash ? realloc(blocks->entry, room * sizeof *entry) : NULL;
	if (!entry) {
		free(hash);
		return false;
	}
	free(blocks->hash);
	blocks->entry = entry;
	blocks->hash = hash;
	blocks->room = room;
	for (uint32_t i = 1; i < blocks->count; i++)
		*slot_of(blocks, entry[i].original) = i;
	return true;
}

uint32_t blocks_entry(struct blocks *blocks, uint64_t original, uint8_t part)
{
	uint32_t *slot = slot_of(blocks, original);
	uint32_t known = *slot;

	if (known)
		return known;
	if (blocks->count == blocks->room) {
		if (blocks->count >= BLOCKS_MAX || !grow_entries(blocks))
			return 0;
		slot = slot_of(blocks, original);
	}
	*slot = blocks->count;
	blocks->entry[blocks->count] = (struct block_entry){.original = original, .part = part};
	put_stubs(blocks, blocks->count);
	return blocks->count++;
}

uint32_t blocks_at_stub(const struct blocks *blocks, uint64_t address)
{
	int part = arena_part_at(blocks->arena, address);
	uint64_t offset;

	if (part < 0)
		return 0;
	offset = address - blocks->arena->part[part].address;
	if (offset < ARENA_CODE_END || offset % STUB_SIZE != 0 ||
	    (offset - ARENA_CODE_END) / STUB_SIZE >= blocks->count)
		return 0;
	return (uint32_t)((offset - ARENA_CODE_END) / STUB_SIZE);
}

uint64_t blocks_jump_address(const struct blocks *blocks, uint32_t number, uint8_t part)
{
	const struct block_entry *entry = &blocks->entry[number];
	const struct arena_part *from = &blocks->arena->part[part];

	if (entry->body && entry->part == part)
		return from->address + entry->body;
	return from->address + stub_offset(number);
}

bool blocks_add_site(struct blocks *blocks, uint32_t number, uint32_t offset)
{
	if (blocks->sites == blocks->site_room) {
		uint32_t room = blocks->site_room * 2;
		struct site *larger = realloc(blocks->site, room * sizeof *larger);

		if (!larger)
			return false;
		blocks->site = larger;
		blocks->site_room = room;
	}
	blocks->site[blocks->sites] = (struct site){offset, blocks->entry[number].sites};
	blocks->entry[number].sites = blocks->sites++;
	return true;
}

/* Makes the code at `from` go to `to`: offsets in the same part. */
static void write_jump(uint8_t *memory, uint32_t from, uint32_t to)
{
	uint32_t displacement = to - (from + BLOCK_HEAD);

	memory[from] = JUMP;
	memcpy(memory + from + 1, &displacement, sizeof displacement);
}

static void link_sites(struct blocks *blocks, struct block_entry *entry)
{
	uint8_t *memory = blocks->arena->part[entry->part].memory;

	for (uint32_t s = entry->sites; s; s = blocks->site[s].next) {
		uint32_t offset = blocks->site[s].offset;
		uint32_t displacement = entry->body - (offset + 4);

		memcpy(memory + offset, &displacement, sizeof displacement);
	}
	entry->sites = 0;
}

/* Makes the inactive bodies jump to the active one. */
static void forward_others(struct blocks *blocks, struct block_entry *entry)
{
	uint8_t *memory = blocks->arena->part[entry->part].memory;

	for (int i = 0; i < BLOCK_VARIANTS; i++) {
		if (entry->variant[i].body && entry->variant[i].body != entry->body)
			write_jump(memory, entry->variant[i].body, entry->body);
	}
}

static bool index_range(struct blocks *blocks, uint32_t number, uint64_t length)
{
	uint64_t start = blocks->entry[number].original;

	return pageindex_add(blocks->pages, start, start + length, number);
}

bool blocks_set_body(
    struct blocks *blocks, uint32_t number, uint32_t body, uint16_t length, uint64_t hash)
{
	struct block_entry *entry = &blocks->entry[number];
	uint8_t *memory = blocks->arena->part[entry->part].memory;
	struct variant *variant;

	entry->body = body;
	entry->native = false;
	/* The oldest goes for good. Its body leads here, and from here to whatever follows. */
	forward_others(blocks, entry);
	entry->latest = (uint8_t)((entry->latest + 1) % BLOCK_VARIANTS);
	variant = &entry->variant[entry->latest];
	*variant = (struct variant){.body = body, .length = length, .hash = hash};
	memcpy(variant->head, memory + body, BLOCK_HEAD);
	link_sites(blocks, entry);
	return index_range(blocks, number, length);
}

bool blocks_set_native(struct blocks *blocks, uint32_t number)
{
	if (blocks->entry[number].native)
		return true;
	blocks->entry[number].native = true;
	return index_range(blocks, number, INSTRUCTION_MAX);
}

void blocks_revive(struct blocks *blocks, uint32_t number, int i)
{
	struct block_entry *entry = &blocks->entry[number];
	const struct variant *variant = &entry->variant[i];
	uint8_t *memory = blocks->arena->part[entry->part].memory;

	memcpy(memory + variant->body, variant->head, BLOCK_HEAD);
	entry->body = variant->body;
	entry->native = false;
	entry->latest = (uint8_t)i;
	forward_others(blocks, entry);
	link_sites(blocks, entry);
	index_range(blocks, number, variant->length);
}

/* Deactivates the entry if it is made from code in [start, end). */
static bool invalidate_one(void *context, uint32_t number, uint64_t start, uint64_t end)
{
	struct blocks *blocks = context;
	struct block_entry *entry = &blocks->entry[number];
	uint64_t length = entry->native ? INSTRUCTION_MAX : entry->variant[entry->latest].length;
	uint8_t *memory = blocks->arena->part[entry->part].memory;

	if (!entry->native && !entry->body)
		return true;
	if (entry->original >= end ||
	    (start > entry->original && start - entry->original >= length))
		return false;
	entry->native = false;
	entry->body = 0;
	for (int i = 0; i < BLOCK_VARIANTS; i++) {
		if (entry->variant[i].body)
			memory[entry->variant[i].body] = INT3;
	}
	return true;
}

void blocks_invalidate(struct blocks *blocks, uint64_t start, uint64_t end)
{
	pageindex_remove(blocks->pages, start, end, invalidate_one, blocks);
}

/* A body of this length is none that revive_block knows. */
static bool forget_one(void *context, uint32_t number, uint64_t start, uint64_t end)
{
	struct blocks *blocks = context;
	struct block_entry *entry = &blocks->entry[number];
	const bool in_force = entry->native || entry->body;
	const bool gone = invalidate_one(context, number, start, end);

	for (int i = 0; in_force && gone && i < BLOCK_VARIANTS; i++)
		entry->variant[i].length = UINT16_MAX;
	return gone;
}

void blocks_forget(struct blocks *blocks, uint64_t start, uint64_t end)
{
	pageindex_remove(blocks->pages, start, end, forget_one, blocks);
}
