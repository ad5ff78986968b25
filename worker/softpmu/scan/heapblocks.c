/*
 * The table. It must never lose a block without saying so.
 */
#include "worker/softpmu/scan/heapblocks.h"

#include <stdlib.h>

enum {
	FIRST_ROOM = 1 << 12,
	FILL = 2,	    /* the room is at least this many times the used part */
	ROOM_MAX = 1 << 27, /* 7 GB of them */
	FREED_FARTHER = 64,
};

#define NEAR (1ull << 20) /* farther away, a block says nothing about an address */

void heapblocks_free(struct heapblocks *blocks)
{
	free(blocks->list);
	*blocks = (struct heapblocks){0};
}

/* The place of the block that begins there, or the free one where it would be. */
static struct heapblock *place(struct heapblock *list, size_t room, uint64_t start)
{
	size_t at = (start >> 4) * 0x9e3779b97f4a7c15ull >> 32 & (room - 1);

	while (list[at].start && list[at].start != start)
		at = (at + 1) & (room - 1);
	return &list[at];
}

struct heapblock *heapblocks_find(const struct heapblocks *blocks, uint64_t start)
{
	struct heapblock *block;

	if (blocks->room == 0 || start == 0)
		return NULL;
	block = place(blocks->list, blocks->room, start);
	return block->start ? block : NULL;
}

static bool grow(struct heapblocks *blocks)
{
	const size_t room = blocks->room ? 2 * blocks->room : FIRST_ROOM;
	struct heapblock *list = room > ROOM_MAX ? NULL : calloc(room, sizeof *list);

	if (!list)
		return false;
	for (size_t i = 0; i < blocks->room; i++) {
		if (blocks->list[i].start)
			*place(list, room, blocks->list[i].start) = blocks->list[i];
	}
	free(blocks->list);
	blocks->list = list;
	blocks->room = room;
	return true;
}

bool heapblocks_add(struct heapblocks *blocks, const struct heapblock *block)
{
	struct heapblock *at;

	if (FILL * (blocks->used + 1) > blocks->room && !grow(blocks))
		return false;
	at = place(blocks->list, blocks->room, block->start);
	blocks->used += at->start == 0;
	*at = *block;
	return true;
}

static uint64_t distance(const struct heapblock *block, uint64_t address)
{
	if (address < block->start)
		return block->start - address;
	return address < block->start + block->size ? 0
						    : address - (block->start + block->size) + 1;
}

/* A live block is meant rather than a freed one that is a little nearer. */
static uint64_t weight(const struct heapblock *block, uint64_t address)
{
	const uint64_t there = distance(block, address);

	return there == 0 ? NEAR : there + (block->dropped ? FREED_FARTHER : 0);
}

static bool is_nearer(const struct heapblock *block, const struct heapblock *than, uint64_t address)
{
	return weight(block, address) < (than ? weight(than, address) : NEAR);
}

static bool has(const struct heapblock *block, uint64_t address)
{
	return distance(block, address) == 0;
}

static bool is_better(const struct heapblock *block, const struct heapblock *than, uint64_t address,
    enum heapblocks_where where)
{
	switch (where) {
	case HEAPBLOCKS_IN_LIVE:
		return !block->dropped && has(block, address);
	case HEAPBLOCKS_IN_FREED:
		return block->dropped && has(block, address) &&
		       (!than || block->dropped > than->dropped);
	case HEAPBLOCKS_BESIDE:
		break;
	}
	return is_nearer(block, than, address);
}

const struct heapblock *heapblocks_near(
    const struct heapblocks *blocks, uint64_t address, enum heapblocks_where where)
{
	const struct heapblock *best = NULL;

	for (size_t i = 0; i < blocks->room; i++) {
		const struct heapblock *block = &blocks->list[i];

		if (block->start && is_better(block, best, address, where))
			best = block;
	}
	return best || where == HEAPBLOCKS_BESIDE
		   ? best
		   : heapblocks_near(blocks, address, HEAPBLOCKS_BESIDE);
}

void heapblocks_visit(const struct heapblocks *blocks,
    void (*visit)(void *context, const struct heapblock *block), void *context)
{
	for (size_t i = 0; i < blocks->room; i++) {
		if (blocks->list[i].start)
			visit(context, &blocks->list[i]);
	}
}
