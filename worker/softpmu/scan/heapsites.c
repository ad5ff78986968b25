/*
 * Must never join two calls whose nearest callers differ: gdb unwinds the stack of one of them, and
 * its words stand for all.
 */
#include "worker/softpmu/scan/heapsites.h"

#include <stdlib.h>

struct gathering {
	struct check_site *list; /* a block each, at first */
	size_t count;
	const struct heapsites_choice *choice;
};

void heapsites_free(struct heapsites *sites)
{
	free(sites->list);
	*sites = (struct heapsites){0};
}

static void gather(void *context, const struct heapblock *block)
{
	struct gathering *gathering = context;
	const struct heapsites_choice *choice = gathering->choice;

	if (block->dropped || block->made <= choice->since || (choice->lost && block->reached))
		return;
	gathering->list[gathering->count++] =
	    (struct check_site){block->ways.way[choice->kind], 1, block->size, block->made};
}

static int by_way(const void *one, const void *other)
{
	const struct check_site *a = one, *b = other;

	return a->way < b->way ? -1 : a->way > b->way;
}

static int by_bytes(const void *one, const void *other)
{
	const struct check_site *a = one, *b = other;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void join(struct check_site *to, const struct check_site *from)
{
	to->blocks += from->blocks;
	to->bytes += from->bytes;
	if (from->first < to->first)
		to->first = from->first;
}

bool heapsites_collect(
    struct heapsites *sites, const struct heapblocks *blocks, const struct heapsites_choice *choice)
{
	struct gathering gathering = {.choice = choice};

	heapsites_free(sites);
	gathering.list = malloc((blocks->used + 1) * sizeof *gathering.list);
	if (!gathering.list)
		return false;
	heapblocks_visit(blocks, gather, &gathering);
	qsort(gathering.list, gathering.count, sizeof *gathering.list, by_way);
	sites->list = gathering.list;
	for (size_t i = 0; i < gathering.count; i++) {
		const struct check_site one = gathering.list[i];

		sites->blocks++;
		sites->bytes += one.bytes;
		if (sites->count > 0 && sites->list[sites->count - 1].way == one.way)
			join(&sites->list[sites->count - 1], &one);
		else
			sites->list[sites->count++] = one;
	}
	qsort(sites->list, sites->count, sizeof *sites->list, by_bytes);
	return true;
}

struct check_ways_to heapsites_ways(const uint64_t *words, size_t count,
    bool (*is_code)(void *context, uint64_t word), void *context)
{
	struct check_ways_to ways = {0};
	uint64_t way = 0xcbf29ce484222325ull;

	for (size_t i = 0, met = 0; i < count && met < CHECK_WAY_FAR; i++) {
		if (i > 0 && !is_code(context, words[i]))
			continue;
		way = (way ^ words[i]) * 0x9e3779b97f4a7c15ull;
		way ^= way >> 29;
		met++;
		for (unsigned kind = 0; kind < CHECK_WAYS; kind++) {
			if (met <= check_way_addresses(kind))
				ways.way[kind] = way | 1;
		}
	}
	return ways;
}
