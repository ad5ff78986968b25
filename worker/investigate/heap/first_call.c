/*
 * See first_call.h.
 */
#include "worker/investigate/heap/first_call.h"

#include <stdio.h>
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/code/allocator.h"
#include "worker/read/code/mappings.h"

static const char *const calls[] = {
    "malloc", "calloc", "realloc", "memalign", "posix_memalign", "aligned_alloc"};

#define CALLS (sizeof(calls) / sizeof(*calls))

/* Switches off the breakpoint's places in the dynamic linker: with debug information, there are
 * dozens, and each of its calls would stop. */
static void leave_linker(struct replay *replay, const struct mappings *mappings, int number)
{
	const json_t *row, *place;
	json_auto_t *results = NULL;

	gdb_must(replay_gdb(replay), &results, "-break-info %d", number);
	row = mi_breakpoint_row(mi_breakpoints(results), number);
	for (size_t i = 0; row && (place = mi_breakpoint_place(row, i)); i++) {
		const struct mapping *mapping = mappings_find(mappings, mi_address(place, "addr"));

		if (mapping && allocator_is_linker(mapping->file))
			gdb_must(replay_gdb(replay), NULL, "-break-disable %s",
			    mi_text(place, "number"));
	}
}

enum search_end first_call_search(
    struct search *search, scan_visit *see, void *context, struct failure *failure)
{
	struct mappings *mappings = mappings_read(search->replay);
	int numbers[CALLS];
	enum search_end end;
	char where[40];

	for (size_t i = 0; i < CALLS; i++) {
		snprintf(where, sizeof(where), "-f %s", calls[i]);
		numbers[i] = temporary_breakpoint_insert(search->replay, where);
		if (mappings && numbers[i])
			leave_linker(search->replay, mappings, numbers[i]);
	}
	mappings_free(mappings);
	end = search_run(search, see, context, failure);
	for (size_t i = 0; i < CALLS; i++)
		temporary_breakpoint_delete(search->replay, numbers[i]);
	return end;
}
