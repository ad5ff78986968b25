/*
 * What the search stops at. rr itself judges the conditions, because most calls of malloc and free
 * are about other blocks.
 */
#include "worker/investigate/heap/heap.h"
#include "worker/gdb/must.h"

#include <stdio.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/watchpoint.h"

#define WORDS_LIVE 2 /* beside the two headers */

void heap_unset(struct heap *heap, int *number)
{
	temporary_breakpoint_delete(heap->replay, *number);
	*number = 0;
}

void heap_unwatch_words(struct heap *heap)
{
	for (size_t i = 0; i < HEAP_WORDS_MAX; i++)
		heap_unset(heap, &heap->words[i]);
}

bool heap_is_word(const struct heap *heap, int number)
{
	for (size_t i = 0; i < HEAP_WORDS_MAX; i++)
		if (number && heap->words[i] == number)
			return true;
	return false;
}

/* That many words from an address on; at the block's end, the last ones. */
static void watch_words(struct heap *heap, unsigned long long from, unsigned long long count)
{
	const unsigned long long begin = heap->block.address;
	unsigned long long last = begin + heap->block.room - HEAP_WORD * count;

	heap_unwatch_words(heap);
	heap->watched = from & ~(HEAP_WORD - 1ULL);
	if (heap->watched > last)
		heap->watched = last > begin ? last : begin;
	if (count > heap->block.room / HEAP_WORD)
		count = heap->block.room / HEAP_WORD;
	heap->watched_words = count;
	for (size_t i = 0; i < count; i++)
		heap->words[i] = watchpoint_insert_word(
		    heap->replay, heap->watched + HEAP_WORD * i, WATCH_ACCESS);
}

static void unwatch_headers(struct heap *heap)
{
	heap_unset(heap, &heap->below);
	heap_unset(heap, &heap->above);
}

static void set_takes(struct heap *heap, bool in_hardware)
{
	if (in_hardware == heap->takes_in_hardware)
		return;
	heap->takes_in_hardware = in_hardware;
	heap_unset(heap, &heap->take);
	heap_unset(heap, &heap->resize);
	heap_set_conditions(heap);
}

void heap_leave_words(struct heap *heap)
{
	heap_unwatch_words(heap);
	set_takes(heap, true);
}

void heap_watch_live(struct heap *heap)
{
	set_takes(heap, false);
	unwatch_headers(heap);
	watch_words(heap, heap->address, WORDS_LIVE);
	heap->below =
	    watchpoint_insert_word(heap->replay, heap->block.address - HEAP_WORD, WATCH_WRITE);
	if (!heap->block.mapped)
		heap->above = watchpoint_insert_word(
		    heap->replay, heap->block.address + heap->block.room, WATCH_WRITE);
}

/* Whether a register holds a block with the address in it, or one that begins where the present
 * one does. */
static void set_return_condition(struct heap *heap, int number, const char *in)
{
	const unsigned long long begin = heap->block.address ? heap->block.address : 1;

	/* Without a condition each call stops, and is looked at. */
	gdb_try(replay_gdb(heap->replay), NULL,
	    "-break-condition %d (unsigned long) %s == %lluUL || ((unsigned long) %s > 4095 && "
	    "(unsigned long) %s <= %lluUL && %lluUL - (unsigned long) %s < "
	    "(*(unsigned long *) (%s - 8) & ~7UL))",
	    number, in, begin, in, in, heap->address, heap->address, in, in);
}

static int insert_take(struct heap *heap, unsigned long long address)
{
	char where[48];

	snprintf(where, sizeof(where), "%s*0x%llx", heap->takes_in_hardware ? "-h " : "", address);
	return temporary_breakpoint_insert(heap->replay, where);
}

/* rr itself judges these conditions: almost all calls are about other blocks. Calls that take a
 * block back matter once there is one. */
void heap_set_conditions(struct heap *heap)
{
	const unsigned long long begin = heap->block.address, end = begin + heap->block.room;

	if (begin && !heap->take) {
		heap->take = insert_take(heap, heap->allocator.take);
		heap->resize = insert_take(heap, heap->allocator.resize);
	}
	const int numbers[] = {heap->take, heap->resize};

	for (size_t i = 0; i < heap->allocator.return_count; i++)
		if (heap->returns[i])
			set_return_condition(heap, heap->returns[i], heap->allocator.returns[i].in);
	for (size_t i = 0; begin && i < 2; i++)
		gdb_try(replay_gdb(heap->replay), NULL,
		    "-break-condition %d (unsigned long) $rdi >= %lluUL && "
		    "(unsigned long) $rdi < %lluUL",
		    numbers[i], begin, end);
}

void heap_set_breakpoints(struct heap *heap)
{
	for (size_t i = 0; i < heap->allocator.return_count; i++)
		heap->returns[i] = temporary_breakpoint_insert_at(
		    heap->replay, heap->allocator.returns[i].address);
	heap->returns_off = false;
	heap_set_conditions(heap);
}

/* realloc may give the old memory back before it returns. */
static bool may_be_given(const struct heap *heap)
{
	return heap->state != HEAP_LIVE || heap->resizing.number || heap->allocator.partly ||
	       heap->allocator.replaced;
}

void heap_await_block(struct heap *heap)
{
	const bool off = !may_be_given(heap);
	char numbers[ALLOCATOR_RETURNS_MAX * 12 + 1] = "";
	size_t length = 0;

	if (off == heap->returns_off)
		return;
	for (size_t i = 0; i < heap->allocator.return_count; i++)
		if (heap->returns[i])
			length += (size_t)snprintf(
			    numbers + length, sizeof(numbers) - length, " %d", heap->returns[i]);
	if (!length)
		return;
	gdb_must(
	    replay_gdb(heap->replay), NULL, "-break-%s%s", off ? "disable" : "enable", numbers);
	heap->returns_off = off;
}

void heap_watch_freed(struct heap *heap, unsigned long long from)
{
	set_takes(heap, false);
	unwatch_headers(heap);
	watch_words(heap, from, HEAP_WORDS_MAX);
}

void heap_unwatch(struct heap *heap)
{
	unwatch_headers(heap);
	heap_unwatch_words(heap);
}

void heap_clear_stops(struct heap *heap)
{
	for (size_t i = 0; i < heap->allocator.return_count; i++)
		heap_unset(heap, &heap->returns[i]);
	heap_unset(heap, &heap->take);
	heap_unset(heap, &heap->resize);
	heap_unset(heap, &heap->resizing.number);
	heap->takes_in_hardware = false;
	heap_unwatch(heap);
}
