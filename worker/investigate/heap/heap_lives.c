/*
 * Memory that is handed out again and again has more lives than a search can look at. The calls of
 * free that take a block with the address in it are counted where the program runs, without a stop;
 * the search for the lives then begins at one of the last of them.
 */
#include <stdio.h>
#include "worker/breaks/keyed_passes.h"
#include "worker/breaks/passes.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/investigate/counting/counted.h"
#include "worker/investigate/heap/heap.h"
#include "worker/moment/position.h"

#define FREES_LOOKED 8 /* the first of them only ends a life */
#define TEXT_MAX     400

struct frees {
	char location[32], condition[TEXT_MAX];
	int number; /* gdb's, of the breakpoint that counts them */
	unsigned long long before;
};

static enum scan_verdict see_none(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	(void)context;
	(void)replay;
	(void)hit;
	(void)failure;
	return SCAN_ON;
}

/* Where gdb has to judge a pass, it stops as well, and the search begins a little earlier. */
static enum scan_verdict see_one(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct frees *frees = context;

	(void)replay;
	(void)failure;
	return hit->breakpoint == frees->number ? SCAN_ENOUGH : SCAN_ON;
}

static bool set(struct frees *frees, struct search *search, bool stops_at_next)
{
	const struct counted counted = {.location = frees->location,
	    .condition = frees->condition,
	    .stops_at_next = stops_at_next,
	    .end = search->bounded ? &search->bound : NULL};

	frees->number = counted_begin(search->replay, &counted, &search->guard, &frees->before);
	search->guarded = frees->number && counted.end && !search->guard;
	return frees->number;
}

/* The search for the lives needs all debug registers: it makes a guard without one. */
static void unset(struct frees *frees, struct search *search)
{
	temporary_breakpoint_delete(search->replay, search->guard);
	search->guard = 0;
	search->guarded = false;
	temporary_breakpoint_delete(search->replay, frees->number);
	frees->number = 0;
}

static void describe(struct frees *frees, const struct heap *heap)
{
	const unsigned long long address = heap->address;

	snprintf(frees->location, sizeof(frees->location), "*0x%llx", heap->allocator.take);
	snprintf(frees->condition, sizeof(frees->condition),
	    "(unsigned long) $rdi > 4095 && (unsigned long) $rdi <= %lluUL && "
	    "%lluUL - (unsigned long) $rdi < (*(unsigned long *) ((unsigned long) $rdi - 8) & "
	    "~7UL)",
	    address, address);
}

/* SEARCH_WHOLE: *count of them were counted, and the program stands at the end. */
static enum search_end count_frees(
    struct frees *frees, struct search *search, unsigned long long *count, struct failure *failure)
{
	unsigned long long sum = 0;
	enum search_end end = search_run(search, see_none, NULL, failure);

	*count = end == SEARCH_WHOLE && passes_sum(search->replay, &sum) ? sum - frees->before : 0;
	unset(frees, search);
	return end;
}

/* To the free with which the lives end that are not looked at. */
static enum search_end go_to_last(struct heap *heap, struct frees *frees, struct search *search,
    unsigned long long count, struct failure *failure)
{
	const unsigned long long ended = count - FREES_LOOKED + 1;
	enum search_end end;

	if (!set(frees, search, true))
		return SEARCH_ENOUGH;
	keyed_passes_next(search->replay, frees->before + ended - 1);
	end = search_run(search, see_one, frees, failure);
	unset(frees, search);
	heap->given = heap->skipped = end == SEARCH_ENOUGH ? (long long)ended : 0;
	return end;
}

static enum search_end begin_again(
    struct search *search, const struct moment *from, struct failure *failure)
{
	return search_again(search, from, failure) ? SEARCH_ENOUGH : search_failed(search, failure);
}

enum search_end heap_skip_lives(struct heap *heap, struct search *search, struct failure *failure)
{
	struct moment from;
	struct frees frees = {0};
	unsigned long long count;
	enum search_end end;

	position_take_sum(heap->replay);
	from = *replay_now(heap->replay);
	describe(&frees, heap);
	if (!set(&frees, search, false))
		return SEARCH_ENOUGH;
	end = count_frees(&frees, search, &count, failure);
	if (end == SEARCH_WHOLE)
		end = begin_again(search, &from, failure);
	if (end == SEARCH_ENOUGH && count > FREES_LOOKED)
		end = go_to_last(heap, &frees, search, count, failure);
	if (end == SEARCH_WHOLE)
		end = begin_again(search, &from, failure);
	if (end == SEARCH_CUT)
		search->reached = from;
	return end;
}
