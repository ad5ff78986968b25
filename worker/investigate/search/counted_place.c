/*
 * Must never take passes behind the stretch for some in it.
 */
#include "worker/investigate/search/counted_place.h"

#include <stdio.h>
#include "worker/breaks/passes.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/investigate/counting/counted.h"

struct place {
	int number; /* gdb's, of the breakpoint that counts */
	long long stops;
};

/* Where gdb has to judge a pass, or the stretch ends with it. */
static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	struct place *place = context;

	(void)replay;
	(void)failure;
	place->stops += hit->breakpoint == place->number;
	return SCAN_ON;
}

bool counted_place(struct search *search, unsigned long long address, long long *count)
{
	struct replay *replay = search->replay;
	char where[32];
	const struct counted counted = {
	    .location = where, .end = search->bounded ? &search->bound : NULL};
	struct failure ignored = {0};
	struct place place = {0};
	unsigned long long before = 0, after = 0;
	bool ok = search_again(search, &search->from, &ignored);

	snprintf(where, sizeof(where), "*0x%llx", address);
	if (ok)
		place.number = counted_begin(replay, &counted, &search->guard, &before);
	if (place.number) {
		search->guarded = counted.end && !search->guard;
		ok = search_run(search, see, &place, &ignored) == SEARCH_WHOLE &&
		     search_stayed_inside(search, SEARCH_WHOLE) && passes_sum(replay, &after);
		search->guarded = false;
	}
	temporary_breakpoint_delete(replay, place.number);
	json_decref(ignored.details);
	*count = (long long)(after - before) + place.stops;
	return ok && place.number;
}
