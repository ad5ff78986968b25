/*
 * How many bytes of a block the program asked for: malloc keeps only the rounded size. Goes back to
 * the call for it, and then runs through the block's life once more to look for writes to the bytes
 * that malloc added.
 */
#include <stdio.h>
#include <string.h>
#include "worker/investigate/heap/heap.h"
#include "worker/investigate/values/origin.h"
#include "worker/serve/handlers.h"
#include "worker/read/values/accessed.h"
#include "worker/run/reverse_next.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/breaks/watchpoint.h"

#define PIECE_MAX 8

/* The size among the arguments of the call at the program counter. */
static bool read_size(struct replay *replay, unsigned long long *size)
{
	static const struct {
		const char *name, *size;
	} calls[] = {
	    {"malloc", "(unsigned long) $rdi"},
	    {"operator new", "(unsigned long) $rdi"},
	    {"operator new[]", "(unsigned long) $rdi"},
	    {"calloc", "(unsigned long) $rdi * (unsigned long) $rsi"},
	    {"realloc", "(unsigned long) $rsi"},
	    {"reallocarray", "(unsigned long) $rsi * (unsigned long) $rdx"},
	    {"memalign", "(unsigned long) $rsi"},
	    {"aligned_alloc", "(unsigned long) $rsi"},
	    {"posix_memalign", "(unsigned long) $rdx"},
	};
	char name[HEAP_NAME_MAX];

	origin_called(replay, name, sizeof(name));
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(name, calls[i].name) == 0)
			return accessed_number(replay, calls[i].size, size);
	return false;
}

void heap_learn_requested(struct heap *heap)
{
	struct replay *replay = heap->replay;
	cleanup_failure struct failure ignored = {0};
	unsigned long long size;

	if (!heap->made_at.event || heap->requested)
		return;
	if (position_go(replay, &heap->made_at, &ignored) &&
	    back_out(replay, 0, &ignored) == BACK_DONE && position_update(replay, &ignored) &&
	    read_size(replay, &size) && size <= heap->block.room)
		heap->requested = size;
}

bool heap_has_slack(const struct heap *heap)
{
	return heap->requested && heap->requested < heap->block.room && !heap->problem &&
	       !heap->block.mapped && !replay_worker(heap->replay)->broken &&
	       replay_worker(heap->replay)->interrupt == INTERRUPT_NONE;
}

/* The processor watches 1, 2, 4 or 8 bytes at a multiple of as many. All accesses, because gdb
 * passes over a write of what was there: the zero that ends a text, one byte too far. */
static void watch_slack(struct heap *heap)
{
	unsigned long long at = heap->block.address + heap->requested;
	const unsigned long long end = heap->block.address + heap->block.room;
	struct failure ignored = {0};
	char place[80];

	for (size_t i = 0; i < HEAP_WORDS_MAX && at < end; i++) {
		unsigned size = PIECE_MAX;

		while (at % size || at + size > end)
			size /= 2;
		snprintf(place, sizeof(place), "*(unsigned char (*)[%u]) 0x%llx", size, at);
		heap->slack[i] =
		    watchpoint_insert(heap->replay, place, WATCH_ACCESS, true, NULL, &ignored);
		failure_forget(&ignored);
		if (heap->slack[i])
			at += size;
	}
	heap->slack_watched = at - heap->block.address - heap->requested;
}

static void unwatch_slack(struct heap *heap)
{
	for (size_t i = 0; i < HEAP_WORDS_MAX; i++)
		heap_unset(heap, &heap->slack[i]);
}

/* Whether the access that the program stands behind wrote to these bytes. */
static bool has_written(struct heap *heap, const struct hit *hit)
{
	if (hit->old && hit->new)
		return true;
	if (!access_kind_touches(heap->replay, &heap->code, heap->block.address + heap->requested,
		heap->slack_watched))
		return false;
	switch (access_kind_here(heap->replay, &heap->code, false)) {
	case ACCESS_KIND_WRITE:
	case ACCESS_KIND_BOTH:
		return true;
	case ACCESS_KIND_READ:
	case ACCESS_KIND_UNKNOWN:
		break;
	}
	return false;
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct heap *heap = context;
	json_t *where, *by;

	(void)failure;
	if (!hit->watched || !has_written(heap, hit) ||
	    allocator_accessor(replay, &heap->allocator) != ACCESSOR_PROGRAM)
		return SCAN_ON;
	where = where_behind(replay, &heap->where);
	by = where_words(where);
	heap_note_problem(heap,
	    json_sprintf("overrun: %s writes beyond the %llu bytes that %s asked for at 0x%llx, "
			 "into the bytes up to %llu that malloc added",
		heap_words(by), heap->requested, heap_words(heap->made), heap->block.address,
		heap->block.room));
	heap_add_event(heap, "overrun", where);
	json_decref(by);
	return SCAN_ENOUGH;
}

enum search_end heap_search_slack(struct heap *heap, struct search *search, struct failure *failure)
{
	struct moment stretch[2];
	enum search_end end = SEARCH_FAILED;
	json_auto_t *made = moment_name(heap->replay, &heap->made_at);
	const char *until =
	    heap->state == HEAP_LIVE ? heap->args->to : json_string_value(heap->dropped_at);

	if (search_stretch(heap->replay, json_string_value(made), until, stretch, failure) &&
	    search_begin(search, heap->replay, stretch, failure)) {
		watch_slack(heap);
		/* The end is mostly in free. There the software counter itself passes over all
		 * other calls, if a debug register is left. */
		if (search->bounded && !heap->slack[HEAP_WORDS_MAX - 1])
			search->guard = fingerprint_guard_in_hardware(heap->replay, &search->bound);
		end = search_run(search, see, heap, failure);
		unwatch_slack(heap);
		end = end == SEARCH_ENOUGH ? SEARCH_WHOLE : end;
	}
	return end;
}
