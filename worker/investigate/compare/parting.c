/*
 * The bad run leads; the good run follows as far as it is needed to compare. First by calls, which
 * are few. Then by the lines of the functions that were called: from the start if the runs are
 * short, else from some calls before the difference.
 */
#include "worker/investigate/compare/parting.h"

#include <stdlib.h>
#include <string.h>
#include "worker/moment/position.h"

#define WHOLE_CALLS_MAX	  400	/* of a run whose lines are compared from the start */
#define CALLS_BEFORE	  24	/* of the thread, from which lines are compared otherwise */
#define LINES_MAX	  20000 /* in each run */
#define PROGRESS_OF_CALLS 60	/* percent */

static const struct pass_of *pass(
    const struct parting *parting, int run, size_t thread, size_t index)
{
	const struct track *track = &parting->tracks[run];

	return thread < track->thread_count && index < track->threads[thread].count
		   ? &track->threads[thread].passes[index]
		   : NULL;
}

const struct pass_of *parting_pass(const struct parting *parting, int run, size_t back)
{
	if (back < 2)
		return parting->has[run][back] ? &parting->at[run][back] : NULL;
	/* What was passed before is forgotten where the lines could not be compared. */
	return parting->gone || back > parting->index
		   ? NULL
		   : pass(parting, run, parting->thread, parting->index - back);
}

static void tell_progress(const struct parting *parting)
{
	const struct track *bad = &parting->tracks[BAD];
	double share = bad->limit ? (double)bad->passed / (double)bad->limit : 0;

	if (bad->passed % 50 == 0)
		worker_progress(bad->replay->worker,
		    parting->lines ? PROGRESS_OF_CALLS + share * (100 - PROGRESS_OF_CALLS)
				   : share * PROGRESS_OF_CALLS,
		    100, parting->lines ? "comparing lines" : "comparing calls");
}

static void part(struct parting *parting, size_t thread, size_t index)
{
	parting->kind = PARTING_FOUND;
	parting->thread = thread;
	parting->index = index;
	for (int run = GOOD; run <= BAD; run++) {
		for (size_t back = 0; back < 2; back++) {
			const struct pass_of *found =
			    back > index ? NULL : pass(parting, run, thread, index - back);

			parting->has[run][back] = found != NULL;
			if (found)
				parting->at[run][back] = *found;
		}
	}
}

/* What the end of a track means for the comparison; false if it goes on. */
static bool is_over(struct parting *parting, enum track_end end)
{
	switch (end) {
	case TRACK_PASSED:
	case TRACK_ENDED:
		return false;
	case TRACK_FULL:
		parting->kind = PARTING_LIMIT;
		return true;
	case TRACK_CUT:
		parting->kind = PARTING_CUT;
		return true;
	case TRACK_FAILED:
		parting->kind = PARTING_FAILED;
		return true;
	}
	return true;
}

/* Runs the good run until its thread has passed as many places; false: the comparison is over. */
static bool follow(struct parting *parting, size_t thread, size_t index, struct failure *failure)
{
	struct track *good = &parting->tracks[GOOD];
	enum track_end end = TRACK_PASSED;
	size_t passed;

	while (!pass(parting, GOOD, thread, index) && end == TRACK_PASSED)
		end = track_next(good, &passed, failure);
	if (is_over(parting, end))
		return false;
	if (pass(parting, GOOD, thread, index) &&
	    pass(parting, GOOD, thread, index)->place == pass(parting, BAD, thread, index)->place)
		return true;
	part(parting, thread, index);
	return false;
}

/* The bad run has ended: what has the good one left? */
static void finish_good(struct parting *parting, struct failure *failure)
{
	struct track *good = &parting->tracks[GOOD], *bad = &parting->tracks[BAD];
	enum track_end end;
	size_t thread;

	for (size_t i = 0; i < good->thread_count; i++) {
		size_t count = i < bad->thread_count ? bad->threads[i].count : 0;

		if (good->threads[i].count > count) {
			part(parting, i, count);
			return;
		}
	}
	end = track_next(good, &thread, failure);
	if (is_over(parting, end))
		return;
	if (end == TRACK_PASSED)
		part(parting, thread, good->threads[thread].count - 1);
	else
		parting->kind = PARTING_NONE;
}

static void compare(struct parting *parting, struct failure *failure)
{
	struct track *bad = &parting->tracks[BAD];
	enum track_end end;
	size_t thread = 0;

	for (;;) {
		end = track_next(bad, &thread, failure);
		if (is_over(parting, end))
			return;
		if (end == TRACK_ENDED) {
			finish_good(parting, failure);
			return;
		}
		tell_progress(parting);
		if (!follow(parting, thread, bad->threads[thread].count - 1, failure))
			return;
	}
}

static bool restart(struct parting *parting, const struct moment *from[2], const bool *wanted,
    struct failure *failure)
{
	return track_restart(&parting->tracks[GOOD], from ? from[GOOD] : NULL, wanted, failure) &&
	       track_restart(&parting->tracks[BAD], from ? from[BAD] : NULL, wanted, failure);
}

/* Lines of the functions that either run has called. */
static bool *called_lines(const struct parting *parting)
{
	const struct own_code *code = &parting->tracks[BAD].code;
	bool *called = calloc(code->count, sizeof(*called));

	for (int run = GOOD; called && run <= BAD; run++) {
		const struct track *track = &parting->tracks[run];

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
static bool compare_lines(struct parting *parting, struct failure *failure)
{
	struct parting calls = *parting;
	size_t before = calls.index > CALLS_BEFORE ? calls.index - CALLS_BEFORE : 0;
	const struct pass_of *from[2] = {
	    pass(parting, GOOD, calls.thread, before), pass(parting, BAD, calls.thread, before)};
	struct moment moments[2];
	bool *wanted;
	bool fine;

	parting->from_start = parting->tracks[BAD].passed <= WHOLE_CALLS_MAX &&
			      parting->tracks[GOOD].passed <= 2 * WHOLE_CALLS_MAX;
	if (!parting->from_start && (calls.kind != PARTING_FOUND || !from[GOOD] || !from[BAD]))
		return false;
	wanted = called_lines(parting);
	for (int run = GOOD; run <= BAD; run++) {
		if (!parting->from_start)
			moments[run] = from[run]->moment;
		parting->tracks[run].only = parting->from_start ? -1 : (int)calls.thread;
		parting->tracks[run].limit = LINES_MAX;
		parting->tracks[run].exact = true;
	}
	if (!parting->from_start)
		parting->from = *from[BAD];
	parting->lines = true;
	fine = wanted &&
	       restart(parting,
		   parting->from_start ? NULL
				       : (const struct moment *[]){&moments[GOOD], &moments[BAD]},
		   wanted, failure);
	free(wanted);
	if (!fine) {
		parting->kind = PARTING_FAILED;
		return true;
	}
	compare(parting, failure);
	if ((parting->kind == PARTING_LIMIT || parting->kind == PARTING_CUT ||
		parting->kind == PARTING_NONE) &&
	    calls.kind == PARTING_FOUND) {
		memcpy(calls.tracks, parting->tracks, sizeof(calls.tracks));
		*parting = calls;
		parting->gone = true;
	}
	return true;
}

void parting_find(struct parting *parting, size_t limit, struct failure *failure)
{
	const struct own_code *code = &parting->tracks[BAD].code;
	bool *entries = calloc(code->count, sizeof(*entries));
	bool fine;

	parting->kind = PARTING_FAILED;
	for (size_t i = 0; entries && i < code->count; i++)
		entries[i] = code->places[i].entry;
	parting->tracks[GOOD].limit = parting->tracks[BAD].limit = limit;
	fine = entries && restart(parting, NULL, entries, failure);
	free(entries);
	if (!fine)
		return;
	compare(parting, failure);
	parting->calls = parting->tracks[BAD].passed;
	if (parting->kind == PARTING_FOUND || parting->kind == PARTING_NONE)
		compare_lines(parting, failure);
}

bool parting_elsewhere(const struct parting *parting, size_t *thread, size_t *before)
{
	const struct track *good = &parting->tracks[GOOD], *bad = &parting->tracks[BAD];
	const struct pass_of *first = NULL;

	for (size_t i = 0; parting->lines && i < bad->thread_count && i < good->thread_count; i++) {
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
