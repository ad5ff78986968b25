/*
 * rr_last_time: when the program last passed a place before now, with a condition that held.
 */
#include <stdio.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/investigate/search/location_hits.h"
#include "worker/investigate/code/where.h"
#include "worker/serve/handlers.h"
#include "worker/inspect/evaluate.h"
#include "worker/moment/excursion.h"
#include "worker/session/images.h"
#include "worker/run/sweep/last_hit.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/run/sweep/resume.h"
#include "worker/run/sweep/scan.h"
#include "worker/moment/signals.h"
#include "worker/run/stop.h"

#define DOUBTS_MAX 100 /* stops that we skip because their condition cannot be read */

enum found { FOUND_IT, FOUND_NOTHING, FOUND_CUT, FOUND_FAILED };

/* One stop back. *cut: it was interrupted, and everything after replay_now is searched. */
static bool go_back(struct replay *replay, bool *cut, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	const struct resumption back = {"continue", BACKWARD, false, -1, 0};

	switch (last_hit_go(replay, failure)) {
	case LAST_HIT_THERE:
		return true;
	case LAST_HIT_CUT:
		*cut = true;
		return false;
	case LAST_HIT_FAILED:
		return false;
	case LAST_HIT_UNKNOWN:
		break;
	}
	if (!resume_run(replay, &back, failure))
		return false;
	if (gdb_was_interrupted(gdb))
		worker_fail_interrupted(replay_worker(replay), failure);
	return !gdb_was_interrupted(gdb);
}

static enum found find(struct replay *replay, const char *condition, int number,
    struct hits_unread *unread, struct failure *failure)
{
	bool cut = false;

	for (int i = 0; i < DOUBTS_MAX; i++) {
		if (!go_back(replay, &cut, failure))
			return cut ? FOUND_CUT : FOUND_FAILED;
		if (scan_hit(replay, BACKWARD).number != number)
			return FOUND_NOTHING;
		replay_moves(replay);
		if (!position_update(replay, failure))
			return FOUND_FAILED;
		switch (location_hits_judge(replay, condition, unread, failure)) {
		case HIT_MEANT:
			return FOUND_IT;
		case HIT_REFUSED:
			return FOUND_FAILED;
		case HIT_OTHER:
		case HIT_UNREAD:
			break;
		}
	}
	failure_set(failure, ERROR_LIMIT, "use a condition that can be read at each stop",
	    "%.200s could not be read at %lld of the last %d stops: %s", condition, unread->count,
	    DOUBTS_MAX, unread->why);
	return FOUND_FAILED;
}

/* A pass at which the condition could not be read may be the one that is asked for. */
static void fail_nothing(struct replay *replay, const struct last_time_args *args,
    const struct hits_unread *unread, struct failure *failure)
{
	if (unread->count) {
		json_auto_t *told = location_hits_tell_unread(replay, unread);

		failure_set(failure, ERROR_NOT_FOUND,
		    "use a condition that can be read at each pass; rr_trace_calls without a "
		    "condition shows the passes",
		    "nothing passed %.200s where %.200s was seen to hold between the start and "
		    "this "
		    "moment; %s",
		    args->location, args->condition, json_string_value(told));
		return;
	}
	failure_set(failure, ERROR_NOT_FOUND,
	    images_at(replay) ? "what ran before exec was another program; rr_trace_calls shows "
				"all passes, later ones too"
			      : "rr_trace_calls shows all passes, later ones too",
	    "nothing passed %.200s%s%.200s between the start and this moment", args->location,
	    args->condition ? " where " : "", args->condition ? args->condition : "");
}

/* What lies between replay_now and `from`, where the search began, is searched. */
static json_t *answer_cut(
    struct replay *replay, const struct last_time_args *args, const struct moment *from)
{
	const struct moment *now = replay_now(replay);
	const struct moment start = {.event = images_start(replay)};
	int share = images_share(replay, from, &start, now);
	bool nowhere = from->event == now->event && from->ticks == now->ticks;
	json_auto_t *reached = NULL;
	char done[32] = "";

	position_take_sum(replay);
	reached = moment_name(replay, now);
	if (share >= 0)
		snprintf(
		    done, sizeof(done), share ? " (%d%%)" : " (below %d%%)", share ? share : 1);
	replay_worker(replay)->half_read = false;
	return json_pack("{s:o, s:o}", "conclusion",
	    json_sprintf("nothing passed %.200s%s%.200s, in the part that was searched",
		args->location, args->condition ? " where " : "",
		args->condition ? args->condition : ""),
	    "cut_off",
	    json_sprintf("the time is over: searched back to %s%s; to go on, %s",
		json_string_value(reached), done,
		nowhere ? "give a longer deadline: the same call begins again from here"
			: "rr_goto there and call again, or give a longer deadline"));
}

/* The stop, and one sentence about what it means. */
static json_t *describe(
    struct replay *replay, const struct last_time_args *args, struct failure *failure)
{
	json_auto_t *words = where_own_words(replay);
	json_t *stop;

	stop = stop_describe(replay, BACKWARD, "breakpoint", failure);
	if (stop) {
		json_object_del(stop, "reason");
		json_object_del(stop, "output");
		json_object_set_new(stop, "conclusion",
		    json_sprintf(
			"the last time before now that %.200s was passed%s%.200s: %s at %s",
			args->location, args->condition ? " where " : "",
			args->condition ? args->condition : "", json_string_value(words),
			mi_text(stop, "moment")));
	}
	return stop;
}

static json_t *search(
    struct replay *replay, const struct last_time_args *args, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	int number = location_hits_set(replay, args->location, args->condition, NULL, failure);
	struct hits_unread unread = {0};
	struct moment from = *replay_now(replay);
	enum found found;
	json_t *answer = NULL;
	bool known;

	if (!number)
		return NULL;
	gdb_must(replay_gdb(replay), NULL, "-break-enable %d", number);
	signals_pass_all(replay);
	found = find(replay, args->condition, number, &unread, failure);
	signals_stop_again(replay);
	known = worker->broken || found != FOUND_NOTHING || unread.count ||
		location_hits_was_known(replay, number, args->location, failure);
	temporary_breakpoint_delete(replay, number);
	if (worker->broken)
		return NULL;
	if (found == FOUND_NOTHING && known)
		fail_nothing(replay, args, &unread, failure);
	else if (found == FOUND_CUT)
		answer = answer_cut(replay, args, &from);
	else if (found == FOUND_IT)
		answer = evaluate_beside(replay, describe(replay, args, failure), args->evaluate);
	if (answer && unread.count)
		json_object_set_new(
		    answer, "condition_unread", location_hits_tell_unread(replay, &unread));
	return answer;
}

json_t *tool_last_time(
    struct replay *replay, const struct last_time_args *args, struct failure *failure)
{
	json_t *answer;

	if (!evaluate_may(args->evaluate, failure))
		return NULL;
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	answer = search(replay, args, failure);
	if (!answer || !args->move || json_object_get(answer, "cut_off"))
		return excursion_answer(&excursion, answer, failure);
	excursion_stay(&excursion);
	return answer;
}
