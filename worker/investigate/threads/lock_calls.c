/*
 * Calls of other functions of threads come on top: the number is a least one.
 */
#include "worker/investigate/threads/lock_calls.h"

#include "worker/breaks/passes.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/investigate/counting/counted.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/investigate/search/search.h"

static const char taking[] = "pthread_mutex_lock";

static enum scan_verdict go_on(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	(void)context;
	(void)replay;
	(void)hit;
	(void)failure;
	return SCAN_ON;
}

/* number: gdb's breakpoint there, which makes room for one that counts. */
static long long run(struct search *search, int *number, struct failure *failure)
{
	const struct counted counted = {.location = taking};
	struct replay *replay = search->replay;
	unsigned long long before, sum;
	int counts = counted_begin(replay, &counted, &search->guard, &before);
	long long count = -1;
	enum search_end end;

	if (!counts)
		return -1;
	temporary_breakpoint_delete(replay, *number);
	*number = counts;
	end = search_run(search, go_on, NULL, failure);
	if (end == SEARCH_WHOLE && passes_sum(replay, &sum))
		count = (long long)(sum - before);
	return count;
}

long long lock_calls_count(struct replay *replay)
{
	struct moment stretch[2], earliest;
	cleanup_failure struct failure unknown = {0};
	struct search search = {.replay = replay};
	int number = location_hits_set(replay, taking, NULL, &earliest, &unknown);
	long long count = -1;

	if (number && search_stretch(replay, NULL, NULL, stretch, &unknown)) {
		if (search_begin_hits(&search, replay, stretch, number, &earliest, &unknown))
			count = run(&search, &number, &unknown);
		search_end(&search);
	}
	temporary_breakpoint_delete(replay, number);
	return count;
}
