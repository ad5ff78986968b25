/*
 * Keeps a bounded number of points: when there are too many, the least work between two of them is
 * given up first.
 */
#include "worker/trace/dump/work.h"

#include <stdlib.h>
#include "worker/trace/dump/grow.h"

#define POINTS_MAX  65536 /* a power of two */
#define THREADS_MAX 4096  /* of more, the oldest are forgotten */

static long long *ticks_of(struct work *work, int tid)
{
	struct work_thread *threads;

	for (size_t i = work->thread_count; i > 0; i--)
		if (work->threads[i - 1].tid == tid)
			return &work->threads[i - 1].ticks;
	if (work->thread_count == THREADS_MAX) {
		threads = &work->threads[(size_t)tid % THREADS_MAX];
	} else {
		threads = grow_list(work->threads, work->thread_count, sizeof(*threads));
		if (!threads)
			return NULL;
		work->threads = threads;
		threads += work->thread_count++;
	}
	*threads = (struct work_thread){.tid = tid};
	return &threads->ticks;
}

/* Leaves out every other point, but none behind which much was done. */
static void thin(struct work *work)
{
	double much = work->total / (POINTS_MAX / 8.0);
	size_t kept = 0;

	for (size_t i = 0; i < work->count; i++) {
		double done = work->points[i].total - (i ? work->points[i - 1].total : 0);

		if (i % 2 == 0 || done > much)
			work->points[kept++] = work->points[i];
	}
	work->count = kept;
}

static bool add_point(struct work *work, struct work_point point)
{
	struct work_point *points = work->points;

	if (!points)
		points = malloc(POINTS_MAX * sizeof(*points));
	if (!points)
		return false;
	work->points = points;
	if (work->count == POINTS_MAX)
		thin(work);
	points[work->count++] = point;
	return true;
}

void work_add(struct work *work, int tid, long long event, long long ticks)
{
	long long *before;

	if (work->lost || ticks < 0 ||
	    (work->count && event <= work->points[work->count - 1].event))
		return;
	before = ticks_of(work, tid);
	if (before && ticks > *before)
		work->total += (double)(ticks - *before);
	if (before)
		*before = ticks;
	work->lost = !before || !add_point(work, (struct work_point){event, ticks, work->total});
}

void work_free(struct work *work)
{
	free(work->points);
	free(work->threads);
	*work = (struct work){0};
}

double work_before(const struct work *work, long long event, long long ticks)
{
	size_t low = 0, high = work->count;
	double before, total;

	if (work->lost || !work->count)
		return -1;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (work->points[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == work->count)
		return work->total;
	before = low ? work->points[low - 1].total : 0;
	if (work->points[low].event != event)
		return before;
	total = work->points[low].total - (double)(work->points[low].ticks - ticks);
	return total < before			 ? before
	       : total > work->points[low].total ? work->points[low].total
						 : total;
}
