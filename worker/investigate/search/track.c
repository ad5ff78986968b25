/*
 * One breakpoint at each place that is followed; each stop is one pass.
 */
#include "worker/investigate/search/track.h"

#include <stdlib.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/scan.h"
#include "worker/moment/signals.h"
#include "worker/trace/dump/grow.h"

#define STOPS_MAX 1000000

bool track_begin(struct track *track, struct replay *replay, struct failure *failure)
{
	*track = (struct track){.replay = replay, .only = -1, .start = *replay_now(replay)};
	if (!own_code_read(replay, &track->code, failure))
		return false;
	track->numbers = calloc(track->code.count, sizeof(*track->numbers));
	if (!track->numbers)
		failure_no_memory(failure);
	return track->numbers != NULL;
}

static void forget(struct track *track)
{
	for (size_t i = 0; i < track->thread_count; i++)
		free(track->threads[i].passes);
	memset(track->threads, 0, sizeof(track->threads));
	track->thread_count = track->passed = 0;
}

void track_free(struct track *track)
{
	forget(track);
	own_code_free(&track->code);
	free(track->numbers);
	track->numbers = NULL;
}

static void set_places(struct track *track, const bool *wanted)
{
	size_t count = 0;

	for (size_t i = 0; i < track->code.count; i++) {
		if (!wanted[i])
			continue;
		if (count == TRACK_PLACES_MAX) {
			track->partly = true;
			break;
		}
		track->numbers[i] =
		    temporary_breakpoint_insert_at(track->replay, track->code.places[i].address);
		count++;
	}
	temporary_breakpoints_stay(track->replay, true);
}

static void clear_places(struct track *track)
{
	for (size_t i = 0; i < track->code.count; i++) {
		temporary_breakpoint_delete(track->replay, track->numbers[i]);
		track->numbers[i] = 0;
	}
	temporary_breakpoints_stay(track->replay, false);
}

bool track_restart(
    struct track *track, const struct moment *from, const bool *wanted, struct failure *failure)
{
	int only = track->only >= 0 ? track->threads[track->only].tid : 0;

	clear_places(track);
	forget(track);
	if (!moment_go_to(track->replay, from ? from : &track->start, failure))
		return false;
	signals_pass_all(track->replay);
	set_places(track, wanted);
	if (track->only >= 0) {
		track->threads[0].tid = only;
		track->thread_count = 1;
		track->only = 0;
	}
	return !replay_worker(track->replay)->broken;
}

static bool is_known(const struct track *track, int tid)
{
	for (size_t i = 0; i < track->thread_count; i++)
		if (track->threads[i].tid == tid)
			return true;
	return false;
}

/* Threads that are new since the last look, in the order of their tids, which is that of creation.
 */
static void learn_threads(struct track *track)
{
	json_t *results = NULL, *rows, *row;
	size_t i;
	int next;

	gdb_must(replay_gdb(track->replay), &results, "-thread-info");
	rows = json_object_get(results, "threads");
	do {
		next = 0;
		json_array_foreach(rows, i, row)
		{
			int tid = mi_tid(row);

			if (tid && !is_known(track, tid) && (!next || tid < next))
				next = tid;
		}
		if (next && track->thread_count < TRACK_THREADS_MAX)
			track->threads[track->thread_count++].tid = next;
	} while (next && track->thread_count < TRACK_THREADS_MAX);
	json_decref(results);
}

/* TRACK_THREADS_MAX: it is not followed. */
static size_t thread_of(struct track *track, int tid)
{
	if (track->only < 0 && !is_known(track, tid))
		learn_threads(track);
	for (size_t i = 0; i < track->thread_count; i++)
		if (track->threads[i].tid == tid)
			return i;
	return TRACK_THREADS_MAX;
}

static bool note(struct track *track, size_t thread, size_t place)
{
	size_t count = track->threads[thread].count;
	struct pass_of *passes = grow_list(track->threads[thread].passes, count, sizeof(*passes));

	if (!passes)
		return false;
	track->threads[thread].passes = passes;
	passes[count] = (struct pass_of){.place = place, .moment = *replay_now(track->replay)};
	track->threads[thread].count++;
	track->passed++;
	return true;
}

struct look {
	struct track *track;
	size_t thread;
};

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	struct look *look = context;
	struct track *track = look->track;
	size_t place;

	if (hit->kind == STOP_SIGNAL)
		return SCAN_ON;
	if (!position_update(replay, failure))
		return SCAN_GIVE_UP;
	place = own_code_find(&track->code, now->pc);
	if (place == track->code.count || !track->numbers[place])
		return SCAN_ON;
	look->thread = thread_of(track, now->tid);
	if (look->thread == TRACK_THREADS_MAX) {
		track->partly |= track->only < 0;
		return SCAN_ON;
	}
	if (track->exact)
		position_take_sum(replay);
	if (note(track, look->thread, place))
		return SCAN_ENOUGH;
	failure_no_memory(failure);
	return SCAN_GIVE_UP;
}

enum track_end track_next(struct track *track, size_t *thread, struct failure *failure)
{
	struct look look = {track, TRACK_THREADS_MAX};
	struct worker *worker = replay_worker(track->replay);

	if (track->passed >= track->limit)
		return TRACK_FULL;
	switch (scan_run(track->replay, FORWARD, STOPS_MAX, see, &look, failure)) {
	case SCAN_FOUND:
		*thread = look.thread;
		return TRACK_PASSED;
	case SCAN_EDGE:
		return TRACK_ENDED;
	case SCAN_FAILED:
		break;
	}
	if (worker->broken || !worker->interrupt)
		return TRACK_FAILED;
	failure_forget(failure);
	return TRACK_CUT;
}
