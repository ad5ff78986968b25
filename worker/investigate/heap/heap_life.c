/*
 * Follows one block: handed out, resized, used, taken back. A mistake is only told if this module
 * saw what makes it one: the free before a use, the block's own bounds, both ways of a mismatch.
 */
#include "worker/investigate/heap/heap.h"

#include <stdio.h>
#include <string.h>
#include "worker/read/values/accessed.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/serve/sentence.h"

#define EVENTS_MAX    40
#define CALLERS_MAX   6
#define PLACES_MAX    20 /* of uses */
#define LATE_USES_MAX 50 /* looked at, after a block was freed */

const char *heap_words(const json_t *text)
{
	return text ? json_string_value(text) : "unknown code";
}

/* Releases `where`. */
void heap_add_event(struct heap *heap, const char *what, json_t *where)
{
	if (json_array_size(heap->events) < EVENTS_MAX) {
		json_t *event = json_pack("{s:s, s:o, s:i, s:O}", "what", what, "moment",
		    moment_name(heap->replay, replay_now(heap->replay)), "tid",
		    replay_now(heap->replay)->tid, "frame", where);

		answer_add_list(event, "callers", where_outer_callers(heap->replay, CALLERS_MAX));
		json_array_append_new(heap->events, event);
	}
	json_decref(where);
}

/* If some of malloc's code is not known, somebody else may have got the block unseen. */
static const char *doubt(const struct heap *heap)
{
	return heap->allocator.partly || heap->allocator.replaced ? "possibly " : "";
}

/* Takes over the conclusion. Only the first mistake is told, because others may follow from it. */
void heap_note_problem(struct heap *heap, json_t *conclusion)
{
	if (heap->problem) {
		json_decref(conclusion);
		return;
	}
	heap->problem = conclusion;
	heap->wrong = heap->given;
	heap->problem_moment = moment_name(heap->replay, replay_now(heap->replay));
}

/* The program's own code that called the allocator, and how. */
static json_t *caller(struct heap *heap, const char *name)
{
	json_t *where = where_own(heap->replay);

	json_object_del(where, "in");
	if (name[0])
		json_object_set_new(where, "called", json_string(name));
	return where;
}

/* Of memory that was handed out again and again, the last life and the one before are told. */
static void forget_lives(struct heap *heap)
{
	for (; heap->life_before && !heap->problem; heap->life_before--, heap->life--)
		json_array_remove(heap->events, 0);
	heap->life_before = heap->life;
	heap->life = json_array_size(heap->events);
	if (!heap->problem)
		json_array_clear(heap->places);
}

/* ---- A block is handed out and taken back ---------------------------------------------------- */

static void see_given(struct heap *heap, const char *in)
{
	const struct block old = heap->block;
	unsigned long long pointer = 0;
	struct block block;

	if (!accessed_number(heap->replay, in, &pointer) ||
	    !block_read(heap->replay, pointer, &block) ||
	    (heap->state == HEAP_LIVE && block.address == heap->block.address))
		return;
	if (!block_has(&block, heap->address)) {
		heap->begun_again |= heap->state == HEAP_FREED && pointer == heap->block.address;
		return;
	}
	heap->way =
	    allocator_way(heap->replay, &heap->allocator, heap->way_name, sizeof(heap->way_name));
	heap->block = block;
	heap->made_at = *replay_now(heap->replay);
	heap->requested = 0;
	heap->state = HEAP_LIVE;
	heap->begun_again = heap->broken_into = false;
	heap->uses = heap->late = 0;
	heap->given++;
	forget_lives(heap);
	json_t *where = caller(heap, heap->way_name);
	json_decref(heap->made);
	heap->made = where_words(where);
	heap_add_event(heap, "allocated", where);
	if (old.address != block.address || old.room != block.room)
		heap_set_conditions(heap);
	heap_watch_live(heap);
}

static bool is_mismatch(enum allocator_way made, enum allocator_way dropped)
{
	return made != WAY_UNKNOWN && dropped != WAY_UNKNOWN && made != dropped;
}

static const char *release_of(enum allocator_way way)
{
	return way == WAY_NEW ? "delete" : way == WAY_NEW_ARRAY ? "delete[]" : "free";
}

/* It is not in use from now on. Takes over `by`. */
static void set_freed(struct heap *heap, json_t *by)
{
	json_decref(heap->dropped);
	heap->dropped = by;
	json_decref(heap->dropped_at);
	heap->dropped_at = moment_name(heap->replay, replay_now(heap->replay));
	heap->dangles = position_order(replay_now(heap->replay), &heap->asked) < 0;
	heap->late = 0;
	heap->state = heap->block.mapped ? HEAP_GONE : HEAP_FREED;
	heap_unwatch(heap);
	if (heap->state == HEAP_FREED)
		heap_watch_freed(heap, heap->address);
}

/* free got the pointer, of a block that is in use or was. */
static void see_taken(struct heap *heap, unsigned long long pointer)
{
	char name[HEAP_NAME_MAX];
	enum allocator_way way = allocator_way(heap->replay, &heap->allocator, name, sizeof(name));
	json_auto_t *where = caller(heap, name), *by = where_words(where);

	if (pointer != heap->block.address) {
		if (heap->state == HEAP_LIVE) {
			heap_note_problem(heap,
			    json_sprintf("bad free: %s frees 0x%llx, which is %llu bytes inside "
					 "the block at 0x%llx that %s allocated",
				heap_words(by), pointer, pointer - heap->block.address,
				heap->block.address, heap_words(heap->made)));
			heap_add_event(heap, "freed from its middle", json_incref(where));
		}
	} else if (heap->state == HEAP_LIVE) {
		if (is_mismatch(heap->way, way))
			heap_note_problem(heap,
			    json_sprintf("mismatch: %s frees the block at 0x%llx with %s, but %s "
					 "allocated it with %s: it needs %s",
				heap_words(by), pointer, name, heap_words(heap->made),
				heap->way_name, release_of(heap->way)));
		heap_add_event(heap, "freed", json_incref(where));
		set_freed(heap, json_incref(by));
	} else {
		heap_note_problem(
		    heap, json_sprintf("%sdouble free: %s frees the block at 0x%llx again, "
				       "which %s freed; %s allocated it",
			      doubt(heap), heap_words(by), pointer, heap_words(heap->dropped),
			      heap_words(heap->made)));
		heap_add_event(heap, "freed again", json_incref(where));
	}
}

static void see_take(struct heap *heap)
{
	unsigned long long pointer = 0;

	if (heap->state == HEAP_NONE || heap->state == HEAP_GONE ||
	    !accessed_number(heap->replay, "(unsigned long) $rdi", &pointer) ||
	    pointer < heap->block.address || pointer >= heap->block.address + heap->block.room)
		return;
	/* What is freed then is that other block, or one beside it. */
	if (heap->state == HEAP_FREED && heap->begun_again) {
		heap->begun_again = pointer != heap->block.address;
		return;
	}
	/* A thread that ends hands the freed blocks that malloc kept for it on to the others. */
	if (heap->state == HEAP_FREED &&
	    (pointer != heap->block.address || !allocator_is_called(heap->replay)))
		return;
	see_taken(heap, pointer);
}

/* realloc got the block. What it did with it shows when it returns. */
static void see_resize(struct heap *heap)
{
	unsigned long long pointer = 0, back = 0, top = 0;
	char where[96];

	if (heap->state != HEAP_LIVE || heap->resizing.number ||
	    !accessed_number(heap->replay, "(unsigned long) $rdi", &pointer) ||
	    pointer != heap->block.address) {
		see_take(heap);
		return;
	}
	if (!accessed_number(heap->replay, "(unsigned long) $rsp", &top) ||
	    !accessed_number(heap->replay, "*(unsigned long *) $rsp", &back) ||
	    !accessed_number(heap->replay, "(unsigned long) $rsi", &heap->resizing.size))
		return;
	snprintf(where, sizeof(where), "-c \"(unsigned long) $rsp == %llu\" *%llu", top + 8, back);
	heap->resizing.number = temporary_breakpoint_insert(heap->replay, where);
	heap->resizing.tid = replay_now(heap->replay)->tid;
	heap->resizing.given = heap->given;
	heap->resizing.where = caller(heap, "");
}

static void see_resized(struct heap *heap)
{
	unsigned long long pointer = 0;
	json_t *where = heap->resizing.where;
	char what[80] = "resized in place";

	if (replay_now(heap->replay)->tid != heap->resizing.tid)
		return;
	heap->resizing.where = NULL;
	heap_unset(heap, &heap->resizing.number);
	/* Another thread may have got the old memory meanwhile. */
	if (heap->given != heap->resizing.given ||
	    !accessed_number(heap->replay, "(unsigned long) $rax", &pointer) ||
	    (!pointer && heap->resizing.size)) {
		json_decref(where);
		return;
	}
	if (pointer == heap->block.address) {
		block_read(heap->replay, pointer, &heap->block);
		heap->made_at = *replay_now(heap->replay);
		heap->requested = heap->resizing.size;
		heap_set_conditions(heap);
		heap_watch_live(heap);
	} else {
		snprintf(what, sizeof(what),
		    pointer ? "moved to 0x%llx by realloc" : "freed by realloc", pointer);
		set_freed(heap, where_words(where));
	}
	heap_add_event(heap, what, where);
}

/* ---- The program uses it --------------------------------------------------------------------- */

static void count_use(struct heap *heap, enum access_kind kind, json_t *where)
{
	json_t *place;
	size_t i;

	if (++heap->uses == HEAP_USES_MAX)
		heap_leave_words(heap);
	if (heap->problem && heap->given != heap->wrong)
		return;
	json_array_foreach(
	    heap->places, i, place) if (json_equal(json_object_get(place, "frame"), where)) break;
	if (i == PLACES_MAX)
		return;
	if (i == json_array_size(heap->places))
		json_array_append_new(
		    heap->places, json_pack("{s:O, s:o}", "frame", where, "first",
				      moment_name(heap->replay, replay_now(heap->replay))));
	place = json_array_get(heap->places, i);
	json_object_set_new(place, access_kind_words[kind],
	    json_integer(json_integer_value(json_object_get(place, access_kind_words[kind])) + 1));
}

static void see_late_use(struct heap *heap, enum access_kind kind, json_t *where)
{
	json_auto_t *by = NULL;

	if (!block_is_kept(heap->replay, &heap->block)) {
		heap->state = HEAP_GONE;
		return;
	}
	by = where_words(where);
	heap_note_problem(
	    heap, json_sprintf("%suse after free: %s %ss the block at 0x%llx, which %s freed; %s "
			       "allocated it",
		      doubt(heap), heap_words(by),
		      kind == ACCESS_KIND_WRITE || kind == ACCESS_KIND_BOTH ? "write"
		      : kind == ACCESS_KIND_READ			    ? "read"
									    : "use",
		      heap->block.address, heap_words(heap->dropped), heap_words(heap->made)));
	heap_add_event(heap, kind == ACCESS_KIND_READ ? "read after free" : "used after free",
	    json_incref(where));
	if (++heap->late == LATE_USES_MAX)
		heap_unwatch_words(heap);
}

static void see_overrun(struct heap *heap, bool below, json_t *where)
{
	json_auto_t *by = NULL;

	if (heap->broken_into)
		return;
	heap->broken_into = true;
	by = where_words(where);
	heap_note_problem(heap,
	    below
		? json_sprintf("overrun: %s writes over the header of the block at 0x%llx: beyond "
			       "the end of the block just below it, or in front of its own "
			       "beginning; %s allocated it",
		      heap_words(by), heap->block.address, heap_words(heap->made))
		: json_sprintf("overrun: %s writes beyond the end of the block at 0x%llx, which %s "
			       "allocated with room for %llu bytes",
		      heap_words(by), heap->block.address, heap_words(heap->made),
		      heap->block.room));
	heap_add_event(heap, below ? "its header overwritten" : "overrun", json_incref(where));
}

static void see_access(struct heap *heap, const struct hit *hit)
{
	enum access_kind kind;
	json_auto_t *where = NULL;

	if (allocator_accessor(heap->replay, &heap->allocator) != ACCESSOR_PROGRAM)
		return;
	/* Of all the words, because gdb tells one of those that the processor saw. */
	if (heap_is_word(heap, hit->number) && !(hit->old && hit->new) &&
	    !access_kind_touches(
		heap->replay, &heap->code, heap->watched, HEAP_WORD * heap->watched_words))
		return;
	kind = access_kind_here(heap->replay, &heap->code, hit->old && hit->new);
	where = where_behind(heap->replay, &heap->where);
	if (heap->state == HEAP_LIVE && heap_is_word(heap, hit->number))
		count_use(heap, kind, where);
	else if (heap->state == HEAP_FREED && heap_is_word(heap, hit->number))
		see_late_use(heap, kind, where);
	else if (heap->state == HEAP_LIVE)
		see_overrun(heap, hit->number == heap->below, where);
}

static void see_breakpoint(struct heap *heap, int number)
{
	if (number == heap->take)
		see_take(heap);
	else if (number == heap->resize)
		see_resize(heap);
	else if (number == heap->resizing.number)
		see_resized(heap);
	else
		for (size_t i = 0; i < heap->allocator.return_count; i++)
			if (number == heap->returns[i])
				see_given(heap, heap->allocator.returns[i].in);
}

/* Whether a late search has nothing more to find. */
static bool is_settled(const struct heap *heap)
{
	return heap->searches_late && (heap->problem || heap->state != HEAP_FREED);
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct heap *heap = context;
	int number = hit->watched ? hit->breakpoint : hit->number;

	(void)replay;
	(void)failure;
	if (hit->watched)
		see_access(heap, hit);
	if (number)
		see_breakpoint(heap, number);
	heap_await_block(heap);
	return is_settled(heap) || ++heap->hits >= HEAP_HITS_MAX ? SCAN_ENOUGH : SCAN_ON;
}

enum search_end heap_search(struct heap *heap, struct search *search, struct failure *failure)
{
	enum search_end end;

	heap_set_breakpoints(heap);
	end = search_run_many(search, see, heap, failure);
	return end == SEARCH_ENOUGH && is_settled(heap) ? SEARCH_WHOLE : end;
}
