/*
 * The bad run leads; the good run follows as far as it is needed to compare. First by calls, which
 * are few. Then by the lines of the functions that were called: from the start if the runs are
 * short, else from some calls before the difference.
 */
#include "worker/investigate/compare/divergence.h"

#include <stdlib.h>
#include <string.h>
#include "worker/moment/position.h"

#define WHOLE_CALLS_MAX	  400	/* of a run whose lines are compared from the start */
#define CALLS_BEFORE	  24	/* of the thread, from which lines are compared otherwise */
#define LINES_MAX	  20000 /* in each run */
#define PROGRESS_OF_CALLS 60	/* percent */

static const struct pass_of *pass(
    const struct divergence *divergence, int run, size_t thread, size_t index)
{
	const struct track *track = &divergence->tracks[run];

	return thread < track->thread_count && index < track->threads[thread].count
		   ? &track->threads[thread].passes[index]
		   : NULL;
}

const struct pass_of *divergence_pass(const struct divergence *divergence, int run, size_t back)
{
	if (back < 2)
		return divergence->has[run][back] ? &divergence->at[run][back] : NULL;
	/* What was passed before is forgotten where the lines could not be compared. */
	return divergence->gone || back > divergence->index
		   ? NULL
		   : pass(divergence, run, divergence->thread, divergence->index - back);
}

static void tell_progress(const struct divergence *divergence)
{
	const struct track *bad = &divergence->tracks[BAD];
	double share = bad->limit ? (double)bad->passed / (double)bad->limit : 0;

	if (bad->passed % 50 == 0)
		worker_progress(replay_worker(bad->replay),
		    divergence->lines ? PROGRESS_OF_CALLS + share * (100 - PROGRESS_OF_CALLS)
				      : share * PROGRESS_OF_CALLS,
		    100, divergence->lines ? "comparing lines" : "comparing calls");
}

static void part(struct divergence *divergence, size_t thread, size_t index)
{
	divergence->kind = DIVERGENCE_FOUND;
	divergence->thread = thread;
	divergence->index = index;
	for (int run = GOOD; run <= BAD; run++) {
		for (size_t back = 0; back < 2; back++) {
			const struct pass_of *found =
			    back > index ? NULL : pass(divergence, run, thread, index - back);

			divergence->has[run][back] = found != NULL;
			if (found)
				divergence->at[run][back] = *found;
		}
	}
}

/* What the end of a track means for the comparison; false if it goes on. */
static bool is_over(struct divergence *divergence, enum track_end end)
{
	switch (end) {
	case TRACK_PASSED:
	case TRACK_ENDED:
		return false;
	case TRACK_FULL:
		divergence->kind = DIVERGENCE_LIMIT;
		return true;
	case TRACK_CUT:
		divergence->kind = DIVERGENCE_CUT;
		return true;
	case TRACK_FAILED:
		divergence->kind = DIVERGENCE_FAILED;
		return true;
	}
	return true;
}

/* Runs the good run until its thread has passed as many places; false: the comparison is over. */
static bool follow(
    struct divergence *divergence, size_t thread, size_t index, struct failure *failure)
{
	struct track *good = &divergence->tracks[GOOD];
	enum track_end end = TRACK_PASSED;
	size_t passed;

	while (!pass(divergence, GOOD, thread, index) && end == TRACK_PASSED)
		end = track_next(good, &passed, failure);
	if (is_over(divergence, end))
		return false;
	if (pass(divergence, GOOD, thread, index) &&
	    pass(divergence, GOOD, thread, index)->place ==
		pass(divergence, BAD, thread, index)->place)
		return true;
	part(divergence, thread, index);
	return false;
}

/* The bad run has ended: what has the good one left? */
static void finish_good(struct divergence *divergence, struct failure *failure)
{
	struct track *good = &divergence->tracks[GOOD], *bad = &divergence->tracks[BAD];
	enum track_end end;
	size_t thread;

	for (size_t i = 0; i < good->thread_count; i++) {
		size_t count = i < bad->thread_count ? bad->threads[i].count : 0;

		if (good->threads[i].count > count) {
			part(divergence, i, count);
			return;
		}
	}
	end = track_next(good, &thread, failure);
	if (is_over(divergence, end))
		return;
	if (end == TRACK_PASSED)
		part(divergence, thread, good->threads[thread].count - 1);
	else
		divergence->kind = DIVERGENCE_NONE;
}

static void compare(struct divergence *divergence, struct failure *failure)
{
	struct track *bad = &divergence->tracks[BAD];
	enum track_end end;
	size_t thread = 0;

	for (;;) {
		end = track_next(bad, &thread, failure);
		if (is_over(divergence, end))
			return;
		if (end == TRACK_ENDED) {
			finish_good(divergence, failure);
			return;
		}
		tell_progress(divergence);
		if (!follow(divergence, thread, bad->threads[thread].count - 1, failure))
			return;
	}
}

static bool restart(struct divergence *divergence, const struct moment *from[2], const bool *wanted,
    struct failure *failure)
{
	return track_restart(
		   &divergence->tracks[GOOD], from ? from[GOOD] : NULL, wanted, failure) &&
	       track_restart(&divergence->tracks[BAD], from ? from[BAD] : NULL, wanted, failure);
}

/* Lines of the functions that either run has called. */
static bool *called_lines(const struct divergence *divergence)
{
	const struct own_code *code = &divergence->tracks[BAD].code;
	bool *called = calloc(code->count, sizeof(*called));

	for (int run = GOOD; called && run <= BAD; run++) {
		const struct track *track = &divergence->tracks[run];

		for (size_t i = 0; i < track->thread_count; i++)
			for (size_t j = 0; j < track->threads[i].count; j++)
				called[code->places[track->threads[i].passes[j].place].function] =
				    true;
	}
	for (size_t i = 0; called && i < code->count; i++)
		called[i] = called[code->places[i].function];
	return called;
}

/* The lines before the calls parted. Where they cannot be compared, the calls stay the answer. */
static bool compare_lines(struct divergence *divergence, struct failure *failure)
{
	struct divergence calls = *divergence;
	size_t before = calls.index > CALLS_BEFORE ? calls.index - CALLS_BEFORE : 0;
	const struct pass_of *from[2] = {pass(divergence, GOOD, calls.thread, before),
	    pass(divergence, BAD, calls.thread, before)};
	struct moment moments[2];
	bool *wanted;
	bool ok;

	divergence->from_start = divergence->tracks[BAD].passed <= WHOLE_CALLS_MAX &&
				 divergence->tracks[GOOD].passed <= 2 * WHOLE_CALLS_MAX;
	if (!divergence->from_start &&
	    (calls.kind != DIVERGENCE_FOUND || !from[GOOD] || !from[BAD]))
		return false;
	wanted = called_lines(divergence);
	for (int run = GOOD; run <= BAD; run++) {
		if (!divergence->from_start)
			moments[run] = from[run]->moment;
		divergence->tracks[run].only = divergence->from_start ? -1 : (int)calls.thread;
		divergence->tracks[run].limit = LINES_MAX;
		divergence->tracks[run].exact = true;
	}
	if (!divergence->from_start)
		divergence->from = *from[BAD];
	divergence->lines = true;
	ok = wanted &&
	     restart(divergence,
		 divergence->from_start ? NULL
					: (const struct moment *[]){&moments[GOOD], &moments[BAD]},
		 wanted, failure);
	free(wanted);
	if (!ok) {
		divergence->kind = DIVERGENCE_FAILED;
		return true;
	}
	compare(divergence, failure);
	if ((divergence->kind == DIVERGENCE_LIMIT || divergence->kind == DIVERGENCE_CUT ||
		divergence->kind == DIVERGENCE_NONE) &&
	    calls.kind == DIVERGENCE_FOUND) {
		memcpy(calls.tracks, divergence->tracks, sizeof(calls.tracks));
		*divergence = calls;
		divergence->gone = true;
	}
	return true;
}

void divergence_find(struct divergence *divergence, size_t limit, struct failure *failure)
{
	const struct own_code *code = &divergence->tracks[BAD].code;
	bool *entries = calloc(code->count, sizeof(*entries));
	bool ok;

	divergence->kind = DIVERGENCE_FAILED;
	for (size_t i = 0; entries && i < code->count; i++)
		entries[i] = code->places[i].entry;
	divergence->tracks[GOOD].limit = divergence->tracks[BAD].limit = limit;
	ok = entries && restart(divergence, NULL, entries, failure);
	free(entries);
	if (!ok)
		return;
	compare(divergence, failure);
	divergence->calls = divergence->tracks[BAD].passed;
	if (divergence->kind == DIVERGENCE_FOUND || divergence->kind == DIVERGENCE_NONE)
		compare_lines(divergence, failure);
}

bool divergence_elsewhere(const struct divergence *divergence, size_t *thread, size_t *before)
{
	const struct track *good = &divergence->tracks[GOOD], *bad = &divergence->tracks[BAD];
	const struct pass_of *first = NULL;

	for (size_t i = 0; divergence->lines && i < bad->thread_count && i < good->thread_count;
	     i++) {
		const struct pass_of *one = good->threads[i].passes,
				     *other = bad->threads[i].passes;

		for (size_t j = 1; j < good->threads[i].count && j < bad->threads[i].count; j++) {
			if (one[j].place != other[j].place)
				break;
			if (one[j].moment.ticks - one[j - 1].moment.ticks ==
			    other[j].moment.ticks - other[j - 1].moment.ticks)
				continue;
			if (!first || position_order(&other[j].moment, &first->moment) < 0) {
				first = &other[j];
				*thread = i;
				*before = j - 1;
			}
			break;
		}
	}
	return first != NULL;
}
