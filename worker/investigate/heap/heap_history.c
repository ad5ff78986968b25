/*
 * rr_heap_history: the life of the heap block that an address belongs to. It runs through the
 * recording once and looks at every block that malloc hands out; then from the last free on, as
 * often as there are more words to watch.
 */
#include <stdio.h>
#include <stdlib.h>
#include "worker/investigate/heap/collected.h"
#include "worker/investigate/heap/first_call.h"
#include "worker/investigate/heap/guarded.h"
#include "worker/investigate/heap/heap.h"
#include "worker/investigate/search/search.h"
#include "worker/serve/handlers.h"
#include "worker/read/code/code.h"
#include "worker/moment/excursion.h"
#include "worker/read/code/mappings.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/moment_parse.h"

/* Where the program begins, gdb may not know yet whose malloc it will call. */
static void learn_malloc(struct heap *heap)
{
	if (heap->called == ALLOCATOR_MALLOC_UNKNOWN)
		heap->called = allocator_malloc(heap->replay);
	heap->allocator.replaced = heap->called == ALLOCATOR_MALLOC_OTHER;
}

/* ---- Before the first block ------------------------------------------------------------------ */

static enum scan_verdict see_first(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct heap *heap = context;

	(void)hit;
	(void)failure;
	return allocator_find(replay, &heap->allocator) ? SCAN_ENOUGH : SCAN_ON;
}

/* Runs to the first call of malloc, unless it is there from the beginning on. */
static enum search_end search_first(
    struct heap *heap, struct search *search, struct failure *failure)
{
	return allocator_find(heap->replay, &heap->allocator)
		   ? SEARCH_ENOUGH
		   : first_call_search(search, see_first, heap, failure);
}

/* ---- The answer ------------------------------------------------------------------------------ */

static json_t *conclude(const struct heap *heap, bool whole)
{
	const char *by_then = whole ? "" : " in what was searched", *collector;

	if (heap->problem)
		return json_incref(heap->problem);
	switch (heap->state) {
	case HEAP_NONE:
		collector = collected_by(heap->replay);
		return json_sprintf("malloc handed out no block with 0x%llx in it%s; that address "
				    "lies in %s%s%s%s",
		    heap->address, by_then, heap->place, collector ? "; " : "",
		    collector ? collector : "",
		    collector ? " may have given it out, whose blocks are not followed" : "");
	case HEAP_LIVE:
		return json_sprintf(
		    "the block at 0x%llx, %s %llu bytes, was allocated by %s and not "
		    "freed%s",
		    heap->block.address, heap->requested ? "of" : "with room for",
		    heap->requested ? heap->requested : heap->block.room, heap_words(heap->made),
		    by_then);
	case HEAP_FREED:
	case HEAP_GONE:
		break;
	}
	return json_sprintf(
	    "the block at 0x%llx was allocated by %s and freed by %s at %s%s; no use "
	    "after that was seen%s",
	    heap->block.address, heap_words(heap->made), heap_words(heap->dropped),
	    json_string_value(heap->dropped_at),
	    heap->dangles ? ", before the session's moment: a pointer to it dangles there" : "",
	    by_then);
}

/* What was looked at, and what was not. */
static json_t *describe_watched(const struct heap *heap)
{
	char slack[160] = "writes to the bytes behind those that were asked for do not show";

	if (heap->requested && heap->requested >= heap->block.room)
		snprintf(slack, sizeof(slack), "malloc added no bytes behind it");
	else if (heap->slack_watched)
		snprintf(slack, sizeof(slack), "writes to %llu bytes that malloc added behind it",
		    heap->slack_watched);
	return json_sprintf("%llu bytes from 0x%llx on; changes of the words with its size, before "
			    "and behind it; %s. Uses of the rest of the block, reads outside of it "
			    "and writes further away do not show",
	    HEAP_WORD * heap->watched_words, heap->watched, slack);
}

static void tell_block(const struct heap *heap, json_t *answer)
{
	const struct block *block = &heap->block;

	if (heap->state == HEAP_NONE)
		return;
	if (heap->requested)
		json_object_set_new(answer, "block",
		    json_sprintf("0x%llx, %llu bytes asked for, room for %llu", block->address,
			heap->requested, block->room));
	else
		json_object_set_new(answer, "block",
		    json_sprintf(
			"0x%llx, room for %llu bytes; how many were asked for is not known",
			block->address, block->room));
	if (!block->mapped)
		json_object_set_new(answer, "neighbours",
		    json_sprintf("rr_heap_history of 0x%llx tells of the block below, of 0x%llx of "
				 "the one above",
			block->address - 16, block->address + block->room + 8));
	json_object_set(answer, "events", heap->events);
	if (json_array_size(heap->places))
		json_object_set(answer, "uses", heap->places);
	json_object_set_new(answer, "watched", describe_watched(heap));
	if (heap->uses >= HEAP_USES_MAX)
		json_object_set_new(answer, "more",
		    json_sprintf("the first %d uses are counted; rr_value_history shows all",
			HEAP_USES_MAX));
}

static void tell_limits(
    const struct heap *heap, const struct search *search, enum search_end end, json_t *answer)
{
	json_auto_t *reached = moment_name(heap->replay, &search->reached);

	search_tell(search, end, answer);
	access_kind_tell(&heap->code, search->replay, answer);
	if (end == SEARCH_CUT || end == SEARCH_ENOUGH)
		json_object_set_new(answer, "cut_off",
		    json_sprintf("%s: searched up to %s; to go on, %s",
			end == SEARCH_CUT ? "the time is over" : "there were too many accesses",
			json_string_value(reached),
			end == SEARCH_CUT ? "give a longer deadline"
					  : "give an address in the block that is used less"));
	if (heap->given > 1)
		json_object_set_new(answer, "lives",
		    json_sprintf("this memory was handed out %s%lld times; events has the last "
				 "ones%s",
			heap->skipped ? "at least " : "", heap->given,
			heap->skipped ? ", and all but the last seven or so were not looked at: "
					"rr_check_memory looks for wrong uses in all"
				      : ""));
	if (heap->called == ALLOCATOR_MALLOC_OTHER)
		json_object_set_new(answer, "replaced",
		    json_string(guarded_is_there(heap->replay)
				    ? "the recording has the guard heap as its malloc: other "
				      "blocks than its own are those of the C library"
				    : "the program has a malloc of its own: only blocks of the C "
				      "library's malloc are seen"));
	if (heap->allocator.partly)
		json_object_set_new(answer, "incomplete",
		    json_string("not all of malloc's code could be read: it may have handed out "
				"blocks that were not seen"));
}

static json_t *answer_of(const struct heap *heap, const struct search *search, enum search_end end)
{
	json_t *answer = json_pack("{s:o}", "conclusion", conclude(heap, end == SEARCH_WHOLE));

	json_object_set(answer, "moment", heap->problem_moment);
	tell_block(heap, answer);
	tell_limits(heap, search, end, answer);
	return answer;
}

static void fail_without_malloc(const struct heap *heap, struct failure *failure)
{
	const char *yet = heap->args->to ? "did not run up to that moment, or it " : "";
	const char *collector = collected_by(heap->replay);

	if (collector) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "rr_value_history shows who wrote to the address, from the beginning on: the "
		    "first write is where the object was made",
		    "%s gives out this program's objects, and their lives are not followed",
		    collector);
		return;
	}
	failure_set(failure, ERROR_UNSUPPORTED,
	    "rr_value_history shows who wrote to the address; rr_trace_calls lists the calls of "
	    "the program's own allocator",
	    "glibc's malloc %swas not found: the program does not use it, or it is linked "
	    "statically and its symbols are stripped",
	    yet);
}

static json_t *search_life(struct heap *heap, struct failure *failure)
{
	struct search search = {.replay = heap->replay};
	enum search_end end = SEARCH_FAILED;
	struct moment stretch[2];
	json_t *answer = NULL;

	if (search_stretch(heap->replay, NULL, heap->args->to, stretch, failure) &&
	    search_begin(&search, heap->replay, stretch, failure)) {
		end = search_first(heap, &search, failure);
		if (end == SEARCH_ENOUGH) {
			learn_malloc(heap);
			end = heap_skip_lives(heap, &search, failure);
		}
		if (end == SEARCH_ENOUGH) {
			end = heap_search(heap, &search, failure);
		} else if (end == SEARCH_WHOLE) {
			fail_without_malloc(heap, failure);
			end = SEARCH_FAILED;
		}
	}
	while (end == SEARCH_WHOLE && heap_is_unwatched(heap)) {
		heap_clear_stops(heap);
		search_end(&search);
		end = heap_search_late(heap, &search, failure);
	}
	if (end == SEARCH_WHOLE && heap->state != HEAP_NONE && !heap->problem) {
		heap_clear_stops(heap);
		search_end(&search);
		heap_learn_requested(heap);
		if (heap_has_slack(heap))
			end = heap_search_slack(heap, &search, failure);
	}
	if (end != SEARCH_FAILED)
		learn_malloc(heap);
	if (end != SEARCH_FAILED)
		answer = answer_of(heap, &search, end);
	search_end(&search);
	return answer;
}

static void clear(struct heap *heap)
{
	heap_clear_stops(heap);
	json_decref(heap->resizing.where);
	json_decref(heap->events);
	json_decref(heap->places);
	json_decref(heap->problem);
	json_decref(heap->problem_moment);
	json_decref(heap->made);
	json_decref(heap->dropped);
	json_decref(heap->dropped_at);
	where_forget(&heap->where);
	free(heap);
}

/* What the address belongs to at the session's moment. */
static void name_place(struct heap *heap)
{
	cleanup_mappings struct mappings *mappings = mappings_read(heap->replay);
	const struct mapping *mapping = mappings_find(mappings, heap->address);

	if (!mapping)
		snprintf(heap->place, sizeof(heap->place), "no mapping now");
	else
		snprintf(heap->place, sizeof(heap->place), "%.150s (%s)",
		    mapping->file[0] ? mapping->file : "an anonymous mapping", mapping->rights);
}

/* The guard heap keeps what it gave out in a table of its own: as of `to`, or of the session's
 * moment, and then of the end. NULL with nothing in *failure: there is none, or it has no such
 * block. */
static json_t *ask_guard(struct heap *heap, struct failure *failure)
{
	const char *to = heap->args->to;
	bool guarded = true;
	json_t *told;

	if (to && !moment_go(heap->replay, to, failure))
		return NULL;
	told = guarded_block(heap->replay, heap->address, &guarded);
	if (!told && !to && moment_go(heap->replay, "end", failure))
		told = guarded_block(heap->replay, heap->address, &guarded);
	if (told)
		json_object_set_new(told, "watched",
		    json_string(
			guarded
			    ? "nothing: a use that the guard heap does not allow ends the "
			      "program at once, and rr_crash_report tells of it; "
			      "rr_value_history shows the other uses"
			    : "nothing: this block is not guarded, so that a wrong use of it does "
			      "not end the program; rr_value_history shows the uses"));
	return told;
}

/* Instead of what the search found. */
static json_t *ask_guard_late(struct heap *heap, json_t *answer)
{
	cleanup_failure struct failure ignored = {0};
	json_t *told = ask_guard(heap, &ignored);

	if (!told)
		return answer;
	json_decref(answer);
	return told;
}

json_t *tool_heap_history(
    struct replay *replay, const struct heap_history_args *args, struct failure *failure)
{
	struct heap *heap = calloc(1, sizeof(*heap));
	json_t *answer = NULL;

	if (!heap || !code_pointer(replay, args->pointer, &heap->address, failure)) {
		free(heap);
		return NULL;
	}
	heap->replay = replay;
	heap->args = args;
	heap->asked = *replay_now(replay);
	heap_measure(heap, args->pointer);
	heap->events = json_array();
	heap->places = json_array();
	name_place(heap);
	learn_malloc(heap);
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	answer = guarded_is_there(replay) ? ask_guard(heap, failure) : NULL;
	if (!answer && !failure->message[0]) {
		answer = search_life(heap, failure);
		/* Where the session stands, it was not loaded yet. */
		if (answer && heap->state == HEAP_NONE && guarded_is_there(replay))
			answer = ask_guard_late(heap, answer);
	}
	clear(heap);
	return excursion_answer(&excursion, answer, failure);
}
