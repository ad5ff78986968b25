/*
 * An instruction that repeats itself begins with each repetition where it does not run in the code
 * cache. So such a place has a breakpoint in any case, which stops before the first one.
 */
#include "worker/investigate/calls/line_counts.h"

#include <stdlib.h>
#include <string.h>
#include "worker/breaks/line_passes.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/counting/counted.h"
#include "worker/read/values/accessed.h"
#include "worker/x86/accesses.h"

#define NO_STOP	  1000000000
#define CODE_PAGE 4096

size_t line_counts_max(struct replay *replay)
{
	return replay_counts_in_software(replay) ? LINES_MAX : LINE_COUNTS_BREAKPOINTS;
}

/* ---- By breakpoints -------------------------------------------------------------------------- */

static void clear_breakpoints(struct line_counts *counts)
{
	for (size_t i = 0; i < counts->count; i++) {
		temporary_breakpoint_delete(counts->replay, counts->places[i].number);
		counts->places[i].number = 0;
	}
	temporary_breakpoints_stay(counts->replay, false);
}

/* All lines that begin there: gdb names only one of their breakpoints. */
static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct line_counts *counts = context;
	const unsigned long long pc = replay_now(replay)->pc;

	(void)failure;
	for (size_t i = 0; hit->breakpoint && i < counts->count; i++)
		counts->places[i].count +=
		    counts->places[i].number && counts->places[i].address == pc;
	return SCAN_ON;
}

static void set_breakpoint(struct line_counts *counts, struct line_place *place)
{
	place->number = temporary_breakpoint_insert_at(counts->replay, place->address);
}

static void count_by_itself(struct line_counts *counts)
{
	for (size_t i = 0; i < counts->count; i++)
		if (counts->places[i].number)
			gdb_must(replay_gdb(counts->replay), NULL, "-break-after %d %d",
			    counts->places[i].number, NO_STOP);
	counts->by_itself = true;
}

static void take_counts(struct line_counts *counts)
{
	json_t *results = NULL;

	if (!counts->by_itself)
		return;
	gdb_must(replay_gdb(counts->replay), &results, "-break-list");
	for (size_t i = 0; i < counts->count; i++)
		if (counts->places[i].number)
			counts->places[i].count = mi_number(
			    mi_breakpoint_row(mi_breakpoints(results), counts->places[i].number),
			    "times", 0);
	json_decref(results);
}

static enum search_end run_by_breakpoints(
    struct line_counts *counts, struct search *search, struct failure *failure)
{
	enum search_end end;

	for (size_t i = 0; i < counts->count; i++)
		set_breakpoint(counts, &counts->places[i]);
	temporary_breakpoints_stay(counts->replay, true);
	if (!search->bounded)
		count_by_itself(counts);
	end = search_run(search, see, counts, failure);
	if (end != SEARCH_FAILED)
		take_counts(counts);
	return end;
}

/* ---- By the software counter ----------------------------------------------------------------- */

/* The code that was read last: places are near each other. */
struct window {
	unsigned long long page; /* 0: none yet */
	size_t length;
	uint8_t bytes[CODE_PAGE];
};

static bool repeats_itself(struct replay *replay, struct window *window, unsigned long long address)
{
	const unsigned long long page = address - address % CODE_PAGE;
	uint8_t bytes[INSTRUCTION_BYTES_MAX];
	size_t length = sizeof(bytes), at = address % CODE_PAGE;
	struct accesses accesses;

	if (window->page != page)
		window->length = accessed_bytes(replay, page, window->bytes, sizeof(window->bytes));
	window->page = page;
	if (at + length <= window->length)
		memcpy(bytes, window->bytes + at, length);
	else
		length = accessed_bytes(replay, address, bytes, sizeof(bytes));
	accesses_of(bytes, length, address, &accesses);
	return accesses.count > 0 && accesses.list[0].kind == ACCESS_STRING;
}

struct named {
	unsigned long long *addresses, *passes; /* owned */
	size_t count;
};

static int by_address(const void *a, const void *b)
{
	const unsigned long long one = *(const unsigned long long *)a,
				 other = *(const unsigned long long *)b;

	return one < other ? -1 : one > other;
}

/* Each address once, in their order; the other places get a breakpoint. */
static bool name_places(struct line_counts *counts, struct named *named)
{
	struct window window = {0};
	size_t kept = 0;

	named->addresses = calloc(counts->count + 1, sizeof(*named->addresses));
	named->passes = calloc(counts->count + 1, sizeof(*named->passes));
	if (!named->addresses || !named->passes)
		return false;
	for (size_t i = 0; i < counts->count; i++) {
		if (repeats_itself(counts->replay, &window, counts->places[i].address))
			set_breakpoint(counts, &counts->places[i]);
		else
			named->addresses[named->count++] = counts->places[i].address;
	}
	qsort(named->addresses, named->count, sizeof(*named->addresses), by_address);
	for (size_t i = 0; i < named->count; i++)
		if (kept == 0 || named->addresses[i] != named->addresses[kept - 1])
			named->addresses[kept++] = named->addresses[i];
	named->count = kept;
	return true;
}

static void give_counts(struct line_counts *counts, const struct named *named)
{
	for (size_t i = 0; i < counts->count; i++) {
		struct line_place *place = &counts->places[i];
		const unsigned long long *at;

		if (place->number)
			continue;
		at = bsearch(&place->address, named->addresses, named->count,
		    sizeof(*named->addresses), by_address);
		if (at)
			place->count = (long long)named->passes[at - named->addresses];
	}
}

/* A stretch has the instruction at which it ends, at which the program has arrived, and not the one
 * with which it begins. What is counted is what has begun. */
static void move_ends(
    struct named *named, unsigned long long from, const struct search *search, enum search_end end)
{
	const unsigned long long to = end == SEARCH_CUT ? search->reached.pc
				      : search->bounded ? search->bound.moment.pc
							: 0;

	for (size_t i = 0; i < named->count; i++) {
		named->passes[i] -= named->addresses[i] == from && named->passes[i] > 0;
		named->passes[i] += to && named->addresses[i] == to;
	}
}

/* The program may have run on behind what was searched, or its counts may be gone. */
static enum search_end lose(
    struct line_counts *counts, struct search *search, enum search_end end, struct failure *failure)
{
	for (size_t i = 0; i < counts->count; i++)
		counts->places[i].count = 0;
	if (end == SEARCH_CUT) {
		search->reached = search->from;
		return end;
	}
	failure_set(failure, ERROR_GDB_FAILED, "ask again about a smaller stretch",
	    "what was counted may lie behind the stretch");
	return SEARCH_FAILED;
}

static enum search_end run_inside(
    struct line_counts *counts, struct search *search, struct named *named, struct failure *failure)
{
	struct worker *worker = replay_worker(counts->replay);
	const unsigned long long from = replay_now(counts->replay)->pc;
	enum search_end end;

	if (search->bounded)
		counted_guard(counts->replay, &search->bound, &search->guard);
	end = search_run(search, see, counts, failure);
	if (end == SEARCH_FAILED || search_is_empty(search))
		return end;
	if (!search_stayed_inside(search, end) ||
	    !line_passes_read(counts->replay, named->passes, named->count))
		return lose(counts, search, end, failure);
	move_ends(named, from, search, end);
	give_counts(counts, named);
	/* What was counted until an interrupt is the answer. */
	if (worker->interrupt && !worker->broken)
		worker->half_read = false;
	return end;
}

enum search_end line_counts_run(
    struct line_counts *counts, struct search *search, struct failure *failure)
{
	struct named named = {0};
	enum search_end end = SEARCH_FAILED;

	if (!name_places(counts, &named))
		failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
	else if (line_passes_begin(counts->replay, named.addresses, named.count))
		end = run_inside(counts, search, &named, failure);
	else
		end = run_by_breakpoints(counts, search, failure);
	line_passes_end(counts->replay);
	clear_breakpoints(counts);
	free(named.addresses);
	free(named.passes);
	return end;
}
