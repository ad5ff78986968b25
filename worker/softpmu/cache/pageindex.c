/*
 * The index: a hash table of pages, each with a list that grows. It must never lose a number.
 */
#include "worker/softpmu/cache/pageindex.h"

#include <stdlib.h>
#include <string.h>

enum {
	PAGE_SHIFT = 12,
	SLOTS_FIRST = 256, /* a power of two */
	LIST_FIRST = 8,
};

struct page_list {
	uint64_t page; /* plus one: 0 is an empty slot */
	uint32_t *number;
	uint32_t count, room;
};

struct pageindex {
	struct page_list *slot;
	uint32_t slots, used;
};

struct pageindex *pageindex_new(void)
{
	struct pageindex *index = calloc(1, sizeof *index);

	if (!index)
		return NULL;
	index->slots = SLOTS_FIRST;
	index->slot = calloc(index->slots, sizeof *index->slot);
	if (!index->slot) {
		free(index);
		return NULL;
	}
	return index;
}

void pageindex_clear(struct pageindex *index)
{
	for (uint32_t i = 0; i < index->slots; i++)
		index->slot[i].count = 0;
}

void pageindex_free(struct pageindex *index)
{
	if (!index)
		return;
	for (uint32_t i = 0; i < index->slots; i++)
		free(index->slot[i].number);
	free(index->slot);
	free(index);
}

static struct page_list *find(const struct pageindex *index, uint64_t page)
{
	uint32_t at = (uint32_t)((page * 0x9e3779b97f4a7c15ull) >> 32) & (index->slots - 1);

	while (index->slot[at].page && index->slot[at].page != page + 1)
		at = (at + 1) & (index->slots - 1);
	return &index->slot[at];
}

static bool grow(struct pageindex *index)
{
	struct pageindex larger = {.slots = index->slots * 2, .used = index->used};

	larger.slot = calloc(larger.slots, sizeof *larger.slot);
	if (!larger.slot)
		return false;
	for (uint32_t i = 0; i < index->slots; i++) {
		if (index->slot[i].page)
			*find(&larger, index->slot[i].page - 1) = index->slot[i];
	}
	free(index->slot);
	*index = larger;
	return true;
}

static bool add_to_page(struct pageindex *index, uint64_t page, uint32_t number)
{
	struct page_list *list = find(index, page);

	if (!list->page) {
		if (index->used * 2 >= index->slots) {
			if (!grow(index))
				return false;
			list = find(index, page);
		}
		list->page = page + 1;
		index->used++;
	}
	if (list->count > 0 && list->number[list->count - 1] == number)
		return true;
	if (list->count == list->room) {
		uint32_t room = list->room ? list->room * 2 : LIST_FIRST;
		uint32_t *larger = realloc(list->number, room * sizeof *larger);

		if (!larger)
			return false;
		list->number = larger;
		list->room = room;
	}
	list->number[list->count++] = number;
	return true;
}

bool pageindex_add(struct pageindex *index, uint64_t start, uint64_t end, uint32_t number)
{
	bool added = true;
	uint64_t last = (end > start ? end - 1 : UINT64_MAX) >> PAGE_SHIFT;

	for (uint64_t page = start >> PAGE_SHIFT; added && page <= last; page++)
		added = add_to_page(index, page, number);
	return added;
}

static void remove_from_page(
    struct page_list *list, uint64_t start, uint64_t end, pageindex_judge *judge, void *context)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		if (!judge(context, list->number[i], start, end))
			list->number[kept++] = list->number[i];
	}
	list->count = kept;
}

void pageindex_remove(
    struct pageindex *index, uint64_t start, uint64_t end, pageindex_judge *judge, void *context)
{
	uint64_t first = start >> PAGE_SHIFT;
	uint64_t last = end > start ? (end - 1) >> PAGE_SHIFT : first;

	if (last - first >= index->slots) {
		for (uint32_t i = 0; i < index->slots; i++) {
			uint64_t page = index->slot[i].page - 1;

			if (index->slot[i].page && page >= first && page <= last)
				remove_from_page(&index->slot[i], start, end, judge, context);
		}
		return;
	}
	for (uint64_t page = first; page <= last; page++) {
		struct page_list *list = find(index, page);

		if (list->page)
			remove_from_page(list, start, end, judge, context);
	}
}
