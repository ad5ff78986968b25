/*
 * A skip list: it has no depth that a program could choose. Must never have two blocks with one
 * byte.
 */
#include "worker/softpmu/scan/poolblocks.h"

#include <stdlib.h>

struct poolblocks_node {
	struct poolblock block; /* first: the address of one is that of the other */
	unsigned levels;
	struct poolblocks_node *next[];
};

void poolblocks_free(struct poolblocks *set)
{
	for (struct poolblocks_node *next; set->next[0]; set->next[0] = next) {
		next = set->next[0]->next[0];
		free(set->next[0]);
	}
	*set = (struct poolblocks){0};
}

/* On each level, what points to the first one that begins at the address or behind it. */
static void find(
    struct poolblocks *set, uint64_t address, struct poolblocks_node **way[POOLBLOCKS_LEVELS])
{
	struct poolblocks_node **at = set->next;

	for (unsigned level = POOLBLOCKS_LEVELS; level-- > 0;) {
		while (at[level] && at[level]->block.start < address)
			at = at[level]->next;
		way[level] = &at[level];
	}
}

static struct poolblocks_node *last_before(const struct poolblocks *set, uint64_t address)
{
	struct poolblocks_node *const *at = set->next, *last = NULL;

	for (unsigned level = POOLBLOCKS_LEVELS; level-- > 0;) {
		while (at[level] && at[level]->block.start <= address) {
			last = at[level];
			at = last->next;
		}
	}
	return last;
}

struct poolblock *poolblocks_before(const struct poolblocks *set, uint64_t address)
{
	struct poolblocks_node *last = last_before(set, address);

	return last ? &last->block : NULL;
}

struct poolblock *poolblocks_behind(const struct poolblocks *set, uint64_t address)
{
	struct poolblocks_node *last = last_before(set, address),
			       *next = last ? last->next[0] : set->next[0];

	return next ? &next->block : NULL;
}

struct poolblock *poolblocks_at(const struct poolblocks *set, uint64_t address)
{
	struct poolblock *block = poolblocks_before(set, address);

	return block && block->start == address ? block : NULL;
}

struct poolblock *poolblocks_around(const struct poolblocks *set, uint64_t address)
{
	struct poolblock *block = poolblocks_before(set, address);

	return block && address - block->start < block->size ? block : NULL;
}

struct poolblock *poolblocks_first(const struct poolblocks *set, uint64_t start, uint64_t end)
{
	struct poolblock *block = poolblocks_before(set, start);

	if (block && (block->start == start || start - block->start < block->size))
		return block;
	block = poolblocks_behind(set, start);
	return block && block->start < end ? block : NULL;
}

/* Half of them have one level, a quarter two, and so on. */
static unsigned levels(struct poolblocks *set)
{
	unsigned count = 1;

	set->random = set->random * 6364136223846793005ull + 1442695040888963407ull;
	for (uint64_t bits = set->random >> 33; (bits & 1) && count < POOLBLOCKS_LEVELS; bits >>= 1)
		count++;
	return count;
}

bool poolblocks_add(struct poolblocks *set, const struct poolblock *block)
{
	struct poolblocks_node **way[POOLBLOCKS_LEVELS], *node;
	const unsigned count = levels(set);

	if (set->count == POOLBLOCKS_MAX)
		return false;
	node = malloc(sizeof *node + count * sizeof *node->next);
	if (!node)
		return false;
	node->block = *block;
	node->levels = count;
	find(set, block->start, way);
	for (unsigned level = 0; level < count; level++) {
		node->next[level] = *way[level];
		*way[level] = node;
	}
	set->count++;
	return true;
}

void poolblocks_remove(struct poolblocks *set, uint64_t start)
{
	struct poolblocks_node **way[POOLBLOCKS_LEVELS], *node;

	find(set, start, way);
	node = *way[0];
	if (!node || node->block.start != start)
		return;
	for (unsigned level = 0; level < node->levels; level++)
		*way[level] = node->next[level];
	free(node);
	set->count--;
}

void poolblocks_clear(struct poolblocks *set, uint64_t start, uint64_t end)
{
	for (struct poolblock *block; (block = poolblocks_first(set, start, end));)
		poolblocks_remove(set, block->start);
}
