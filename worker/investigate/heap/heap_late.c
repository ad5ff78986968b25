/*
 * Looks for uses of a freed block beyond the words that the first run watched: the processor
 * watches four at a time, and a structure has more. Runs from the free on again for each further
 * four.
 */
#include <stdio.h>
#include "worker/investigate/heap/heap.h"
#include "worker/serve/handlers.h"
#include "worker/read/values/accessed.h"

#define LATE_DEFAULT 64 /* bytes, if the pointer's type says nothing */
#define LATE_MAX     128

void heap_measure(struct heap *heap, const char *pointer)
{
	char size[REPLAY_EXPRESSION_MAX + 16];

	heap->extent = 0;
	if (snprintf(size, sizeof(size), "sizeof(*(%s))", pointer) < (int)sizeof(size))
		accessed_number(heap->replay, size, &heap->extent);
	if (heap->extent <= HEAP_WORD)
		heap->extent = LATE_DEFAULT;
	else if (heap->extent > LATE_MAX)
		heap->extent = LATE_MAX;
}

static unsigned long long watched_end(const struct heap *heap)
{
	return heap->watched + HEAP_WORD * heap->watched_words;
}

bool heap_is_unwatched(const struct heap *heap)
{
	return heap->state == HEAP_FREED && !heap->problem && heap->watched_words &&
	       watched_end(heap) < heap->address + heap->extent &&
	       watched_end(heap) + HEAP_WORD <= heap->block.address + heap->block.room;
}

enum search_end heap_search_late(struct heap *heap, struct search *search, struct failure *failure)
{
	const unsigned long long first = heap->watched, next = watched_end(heap);
	struct moment stretch[2];
	enum search_end end;

	if (!search_stretch(heap->replay, json_string_value(heap->dropped_at), heap->args->to,
		stretch, failure) ||
	    !search_begin(search, heap->replay, stretch, failure))
		return SEARCH_FAILED;
	heap_watch_freed(heap, next);
	heap->searches_late = true;
	end = heap_search(heap, search, failure);
	heap->watched_words = (watched_end(heap) - first) / HEAP_WORD;
	heap->watched = first;
	return end;
}
