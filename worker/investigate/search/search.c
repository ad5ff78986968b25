/*
 * Sets the bounds of a search, and hands over the hits between them. The only breakpoint that it
 * sets is the one that ends the stretch.
 */
#include "worker/investigate/search/search.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/session/images.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/signals.h"
#include "worker/run/sweep/linked.h"

/* A moment of the program image in which the session stands. */
static bool parse(
    struct replay *replay, const char *name, struct moment *moment, struct failure *failure)
{
	if (!moment_parse(replay, name, moment, failure))
		return false;
	if (position_is_beyond(replay, moment->event, failure))
		return false;
	if (moment->event == 0 || moment->event == REPLAY_EVENT_FAR ||
	    images_of_event(replay, moment->event) == images_at(replay))
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "rr_goto to a moment in that program, and ask there",
	    "%.60s lies in another program that this process ran: exec came between", name);
	return false;
}

static bool take_bound(struct search *search, struct failure *failure)
{
	if (!moment_go_to(search->replay, &search->to, failure))
		return false;
	/* A stretch up to the end of the process needs no bound. */
	search->bounded = !position_is_end(search->replay);
	search->to = *replay_now(search->replay);
	if (search->bounded)
		search->bound = fingerprint_take(search->replay);
	return true;
}

bool search_stretch(struct replay *replay, const char *from, const char *to,
    struct moment stretch[2], struct failure *failure)
{
	from = from ? from : "start";
	to = to ? to : "end";
	if (!parse(replay, from, &stretch[0], failure) || !parse(replay, to, &stretch[1], failure))
		return false;
	if (stretch[0].event != REPLAY_EVENT_FAR && position_order(&stretch[1], &stretch[0]) >= 0)
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "give the earlier moment as from, the later one as to",
	    "there is nothing to search: to (%.60s) does not come after from (%.60s)", to, from);
	return false;
}

static bool begin(struct search *search, struct replay *replay, const struct moment stretch[2],
    int number, struct failure *failure)
{
	*search = (struct search){.replay = replay, .to = stretch[1], .told = -1};
	if (search->to.event != REPLAY_EVENT_FAR && !take_bound(search, failure))
		return false;
	if (!(number && stretch[0].event == 0 ? linked_go_start(replay, number, failure)
					      : moment_go_to(replay, &stretch[0], failure)))
		return false;
	position_take_sum(replay);
	search->from = search->reached = *replay_now(replay);
	search->empty = search->bounded && (position_order(&search->to, &search->from) < 0 ||
					       fingerprint_is_here(replay, &search->bound));
	signals_pass_all(replay);
	search->captured = true;
	return true;
}

bool search_begin(struct search *search, struct replay *replay, const struct moment stretch[2],
    struct failure *failure)
{
	return begin(search, replay, stretch, 0, failure);
}

bool search_begin_hits(struct search *search, struct replay *replay, const struct moment stretch[2],
    int number, const struct moment *earliest, struct failure *failure)
{
	struct moment later[2] = {stretch[0], stretch[1]};

	if (position_order(&later[0], earliest) < 0 && position_order(earliest, &later[1]) < 0)
		later[0] = *earliest;
	return begin(search, replay, later, number, failure);
}

/* The last moment that the search can reach. */
static struct moment last_moment(const struct search *search)
{
	size_t next = images_at(search->replay) + 1;

	if (search->bounded)
		return search->to;
	if (next < images_count(search->replay))
		return (struct moment){.event = images_get(search->replay, next)->event};
	return (struct moment){.event = REPLAY_EVENT_FAR};
}

/* In percent; -1: not known. */
static int share(const struct search *search)
{
	const struct moment last = last_moment(search);

	return images_share(search->replay, &search->from, &last, &search->reached);
}

static void tell_progress(struct search *search)
{
	int now = share(search);

	if (now <= search->told)
		return;
	search->told = now;
	worker_progress(replay_worker(search->replay), now, 100, "percent of the stretch searched");
}

static enum scan_verdict see(
    void *context, struct replay *replay, const struct hit *hit, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	struct search *search = context;
	enum scan_verdict verdict = SCAN_ON;

	if (!position_update(replay, failure))
		return SCAN_GIVE_UP;
	if (search->bounded && position_order(&search->to, now) < 0) {
		search->over = true;
		return SCAN_ENOUGH;
	}
	search->reached = *now;
	tell_progress(search);
	search->over = search->bounded && fingerprint_is_here(replay, &search->bound);
	if (hit->kind != STOP_SIGNAL && (!search->guard || hit->number != search->guard))
		verdict = search->visit(search->context, replay, hit, failure);
	return verdict == SCAN_ON && search->over ? SCAN_ENOUGH : verdict;
}

enum search_end search_failed(const struct search *search, struct failure *failure)
{
	if (replay_worker(search->replay)->broken || !replay_worker(search->replay)->interrupt)
		return SEARCH_FAILED;
	failure_forget(failure);
	return SEARCH_CUT;
}

/* The moment where the program was halted, if it is still known. */
static enum search_end cut(struct search *search, struct failure *failure)
{
	cleanup_failure struct failure ignored = {0};

	if (search_failed(search, failure) == SEARCH_FAILED)
		return SEARCH_FAILED;
	search->stands = gdb_was_interrupted(replay_gdb(search->replay)) &&
			 position_update(search->replay, &ignored);
	if (search->stands && position_order(&search->reached, replay_now(search->replay)) < 0) {
		position_take_sum(search->replay);
		search->reached = *replay_now(search->replay);
	}
	return SEARCH_CUT;
}

enum search_end search_run(
    struct search *search, scan_visit *visit, void *context, struct failure *failure)
{
	enum scan_end end;

	if (search->over)
		return SEARCH_WHOLE;
	search->visit = visit;
	search->context = context;
	if (search->bounded && !search->guard && !search->guarded)
		search->guard = fingerprint_guard(search->replay, &search->bound);
	end = scan_run(search->replay, FORWARD, SEARCH_STOPS_MAX, see, search, failure);
	switch (end) {
	case SCAN_FOUND:
		return search->over ? SEARCH_WHOLE : SEARCH_ENOUGH;
	case SCAN_EDGE:
		search->over = true;
		return SEARCH_WHOLE;
	case SCAN_FAILED:
		break;
	}
	return cut(search, failure);
}

enum search_end search_run_many(
    struct search *search, scan_visit *visit, void *context, struct failure *failure)
{
	enum search_end end;

	temporary_breakpoints_stay(search->replay, true);
	end = search_run(search, visit, context, failure);
	temporary_breakpoints_stay(search->replay, false);
	return end;
}

bool search_again(struct search *search, const struct moment *from, struct failure *failure)
{
	if (!moment_go_to(search->replay, from, failure))
		return false;
	search->over = false;
	search->reached = *replay_now(search->replay);
	return true;
}

void search_end(struct search *search)
{
	struct replay *replay = search->replay;

	temporary_breakpoint_delete(replay, search->guard);
	fingerprint_forget(&search->bound);
	search->guard = 0;
	if (search->captured)
		signals_stop_again(replay);
	search->captured = false;
}

bool search_stayed_inside(const struct search *search, enum search_end end)
{
	if (end == SEARCH_CUT)
		return search->stands &&
		       (!search->bounded || position_order(&search->reached, &search->to) < 0);
	return end == SEARCH_ENOUGH || !search->bounded ||
	       fingerprint_is_here(search->replay, &search->bound);
}

bool search_is_empty(const struct search *search)
{
	return search->empty;
}

static void tell_empty(const struct search *search, json_t *answer)
{
	json_auto_t *at = moment_name(search->replay, &search->from);
	const char *said = mi_text(answer, "conclusion");

	if (said)
		json_object_set_new(answer, "conclusion",
		    json_sprintf(
			"%s, but nothing was searched: from and to are the same moment, %s", said,
			json_string_value(at)));
	json_object_set_new(answer, "warning",
	    json_string("give the earlier moment as from, the later one as to; start is where this "
			"program begins"));
}

/* Not in one that says it in its own words. */
static void limit_conclusion(json_t *answer)
{
	const char *said = mi_text(answer, "conclusion");

	if (said && !strstr(said, "searched"))
		json_object_set_new(
		    answer, "conclusion", json_sprintf("%s, in the part that was searched", said));
}

void search_tell(const struct search *search, enum search_end end, json_t *answer)
{
	size_t next = images_at(search->replay) + 1;
	json_auto_t *reached = moment_name(search->replay, &search->reached);
	int percent = share(search);
	char done[32] = "";

	if (percent > 0)
		snprintf(done, sizeof(done), " (%d%%)", percent);
	else if (percent == 0)
		snprintf(done, sizeof(done), " (below 1%%)");
	if (end != SEARCH_WHOLE)
		limit_conclusion(answer);
	replay_worker(search->replay)->half_read &= end != SEARCH_CUT;
	if (end == SEARCH_CUT)
		json_object_set_new(answer, "cut_off",
		    json_sprintf("the time is over: searched up to %s%s; to go on, call again with "
				 "from=%s, or give a longer deadline",
			json_string_value(reached), done, json_string_value(reached)));
	if (end == SEARCH_WHOLE && !search->bounded && next < images_count(search->replay))
		json_object_set_new(answer, "note",
		    json_sprintf("only up to the exec at event %lld: another program runs after it",
			images_get(search->replay, next)->event));
	if (search_is_empty(search))
		tell_empty(search, answer);
}
