/*
 * See first_call.h.
 */
#include "worker/investigate/heap/first_call.h"

#include <stdio.h>
#include "worker/breaks/places/temporary_breakpoint.h"

static const char *const calls[] = {
    "malloc", "calloc", "realloc", "memalign", "posix_memalign", "aligned_alloc"};

#define CALLS (sizeof(calls) / sizeof(*calls))

enum search_end first_call_search(
    struct search *search, scan_visit *see, void *context, struct failure *failure)
{
	int numbers[CALLS];
	enum search_end end;
	char where[40];

	for (size_t i = 0; i < CALLS; i++) {
		snprintf(where, sizeof(where), "-f %s", calls[i]);
		numbers[i] = temporary_breakpoint_insert(search->replay, where);
	}
	end = search_run(search, see, context, failure);
	for (size_t i = 0; i < CALLS; i++)
		temporary_breakpoint_delete(search->replay, numbers[i]);
	return end;
}
