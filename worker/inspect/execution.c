/*
 * Moves the program to a stop or to a moment, and describes the stop in full. Counts work in both
 * directions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/run/sweep/last_hit.h"
#include "worker/serve/handlers.h"
#include "worker/breaks/breakpoints.h"
#include "worker/run/stop.h"
#include "worker/inspect/evaluate.h"
#include "worker/inspect/execution.h"
#include "worker/inspect/handover.h"
#include "worker/moment/crossing.h"
#include "worker/moment/excursion.h"
#include "worker/breaks/places/jit_code.h"
#include "worker/session/images.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/read/names/names.h"
#include "worker/breaks/places/pending.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/breaks/places/stubs.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/visit.h"
#include "worker/run/sweep/resume.h"
#include "worker/run/sweep/unaccessed.h"
#include "worker/session/taught.h"

#define SHARE_MAX      160 /* bytes */
#define FALSE_HITS_MAX 2   /* hits in a row that gdb may pass by itself when it goes back */

bool execution_depart(struct replay *replay, const json_t *evaluate, struct failure *failure)
{
	if (!evaluate_may(evaluate, failure))
		return false;
	replay_run(replay)->departed = *replay_now(replay);
	replay_run(replay)->passed_over = 0;
	return true;
}

/* The share of the way that was searched before the interrupt; "" if it is not known. */
static void describe_share(struct replay *replay, enum direction direction, char *text, size_t size)
{
	const struct moment *from = &replay_run(replay)->departed, *to = replay_now(replay);
	const struct moment edge = {
	    .event = direction == BACKWARD ? images_start(replay) : REPLAY_EVENT_FAR};
	int share = images_share(replay, from, &edge, to);

	text[0] = '\0';
	if (from->event && share >= 0)
		snprintf(text, size,
		    "%lld:%lld to %lld:%lld has been searched, %s%d%% of the way to the %s",
		    from->event, from->ticks, to->event, to->ticks, share ? "" : "below ",
		    share ? share : 1, direction == BACKWARD ? "start" : "end");
}

/* Adds the share to the answer of a run that was cut off, whether it is a stop or a failure. */
static void tell_share(
    struct replay *replay, enum direction direction, json_t *stop, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	size_t length = strlen(failure->message);
	char share[SHARE_MAX];

	if (!stop && now->event == replay_run(replay)->departed.event &&
	    now->ticks == replay_run(replay)->departed.ticks) {
		failure_set_hint(failure,
		    "nothing was found out, and the same call begins again from here: it needs a "
		    "longer deadline, or a nearer place to begin");
		return;
	}
	describe_share(replay, direction, share, sizeof(share));
	if (!share[0])
		return;
	json_object_set_new(stop ? stop : failure->details, "searched", json_string(share));
	if (stop)
		return;
	snprintf(failure->message + length, sizeof(failure->message) - length, "; %s", share);
	failure_set_hint(
	    failure, "the same call goes on from here; a longer deadline lets it search further");
}

json_t *execution_answer(
    struct replay *replay, enum direction direction, const char *reason, struct failure *failure)
{
	json_t *stop = stop_answer(replay, direction, reason, failure);

	if (gdb_was_interrupted(replay_gdb(replay)) &&
	    (failure->details || (stop && strcmp(mi_text(stop, "reason"), "interrupted") == 0)))
		tell_share(replay, direction, stop, failure);
	replay_changed(replay);
	return stop;
}

bool execution_is_over(const struct replay *replay, enum direction direction)
{
	return direction == FORWARD && replay_is_at_end(replay);
}

static enum direction direction_of(bool reverse)
{
	return reverse ? BACKWARD : FORWARD;
}

/* Whether a continue that stopped here goes on to the next of `count` stops. */
static bool is_countable(const struct replay *replay)
{
	struct gdb *gdb = replay_gdb(replay);
	const char *reason = mi_text(gdb_last_stop(gdb), "reason");

	return reason && !gdb_was_interrupted(gdb) &&
	       (strcmp(reason, "breakpoint-hit") == 0 || strstr(reason, "watchpoint-trigger"));
}

/* The start of the next search backward. */
static bool stand_here(struct replay *replay, struct failure *failure)
{
	replay_moves(replay);
	return position_update(replay, failure);
}

/* Goes back by a scan. False: it cannot tell, and the program stands where it did. */
static bool scan_back(struct replay *replay, bool *ok, struct failure *failure)
{
	enum last_hit end = last_hit_go(replay, failure);

	*ok = end != LAST_HIT_FAILED;
	return end != LAST_HIT_UNKNOWN;
}

/*
 * gdb runs back again by itself if a hit does not count: a neighbour of a bit-field was written, or
 * the watched value stayed the same. Each such hit costs rr a search, so after a few of them a scan
 * does the rest.
 */
static bool run_back(struct replay *replay, struct failure *failure)
{
	const struct resumption back = {"continue", BACKWARD, false, -1, 0};
	bool ok, limited;

	gdb_limit_back(replay_gdb(replay), breakpoints_watch(replay) ? FALSE_HITS_MAX : 0);
	ok = resume_run(replay, &back, failure);
	limited = gdb_reached_limit(replay_gdb(replay));
	gdb_limit_back(replay_gdb(replay), 0);
	if (!ok || !limited)
		return ok;
	if (!stand_here(replay, failure))
		return false;
	if (last_hit_can(replay) && scan_back(replay, &ok, failure))
		return ok;
	return resume_run(replay, &back, failure);
}

/* Goes back one stop, by a scan where that is quicker. There a watchpoint's condition means the
 * same as forward. */
static bool back_once(struct replay *replay, bool scan, struct failure *failure)
{
	bool ok;

	if (scan && scan_back(replay, &ok, failure))
		return ok;
	if (breakpoints_watch_on_condition(replay) && !crossing_is_behind(replay)) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "rr_goto an earlier moment and rr_continue forward; or remove the condition, "
		    "and all breakpoints that are temporary or ignore hits; or rr_step one "
		    "instruction first",
		    "the condition of a watchpoint cannot be checked backward from here");
		return false;
	}
	return run_back(replay, failure);
}

/* To the stop before this one. Like those that gdb passes by itself, each hit that is no access
 * costs rr a search. */
static bool continue_back(struct replay *replay, struct failure *failure)
{
	bool scan = last_hit_serves(replay);

	for (int passed = 0; back_once(replay, scan, failure); passed++) {
		if (!unaccessed_pass(replay, BACKWARD))
			return true;
		if (!stand_here(replay, failure))
			return false;
		scan |= passed + 1 >= FALSE_HITS_MAX && last_hit_can(replay);
	}
	return false;
}

/* To the next stop. */
static bool continue_on(struct replay *replay, struct failure *failure)
{
	const struct resumption on = {"continue", FORWARD, false, -1, 0};

	do {
		if (!resume_run(replay, &on, failure))
			return false;
	} while (unaccessed_pass(replay, FORWARD));
	return true;
}

/* An internal breakpoint for this call only; 0 with *failure filled. */
static int set_until(struct replay *replay, const char *location, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	char quoted[GDB_QUOTED_MAX];
	json_t *results = NULL, *bkpt;
	enum gdb_outcome outcome;
	int number = 0;

	if (!gdb_quote(quoted, "until", location, failure))
		return 0;
	outcome = gdb_command(gdb, &results, "-break-insert -- %s", quoted);
	if (!gdb_check(gdb, outcome, ERROR_INVALID_ARGUMENT, NULL, failure) &&
	    outcome == GDB_REFUSED && pending_is_likely(replay, location, false, failure)) {
		*failure = (struct failure){0};
		outcome = gdb_command(gdb, &results, "-break-insert -f -- %s", quoted);
		gdb_check(gdb, outcome, ERROR_INVALID_ARGUMENT, NULL, failure);
	}
	stubs_leave(replay, json_object_get(results, "bkpt"));
	if (outcome == GDB_DONE) {
		bkpt = jit_code_in_hardware(replay, results, quoted);
		number = mi_number(bkpt, "number", 0);
		json_decref(bkpt);
	} else if (!replay_worker(replay)->broken)
		names_suggest(replay, location, failure);
	json_decref(results);
	return number;
}

/* A run to the client's stops, and to `until`, which is in gdb as `number`. */
struct journey {
	struct handover handover;
	const char *until; /* NULL: to the client's stops alone */
	int number;
};

/* From the first instruction of a forked process to its parent, where the run goes on. */
static bool go_over_fork(struct replay *replay, struct journey *journey, struct failure *failure)
{
	if (!handover_cross(replay, &journey->handover, failure))
		return false;
	if (journey->until && !(journey->number = set_until(replay, journey->until, failure)))
		return false;
	return true;
}

/* Where the process begins with a fork, the run goes on in its parent if anything can stop it
 * there. Without that it would go to the start of the recording. */
static bool continue_over_forks(
    struct replay *replay, struct journey *journey, struct failure *failure)
{
	bool due = journey->handover.place && handover_is_at_fork(replay);

	do {
		if (due && !go_over_fork(replay, journey, failure))
			return false;
		if (!continue_back(replay, failure) ||
		    !handover_is_due(replay, &journey->handover, &due, failure))
			return false;
	} while (due && (journey->until || breakpoints_stop(replay)));
	return true;
}

static json_t *continue_times(struct replay *replay, enum direction direction, long long count,
    struct journey *journey, struct failure *failure)
{
	for (long long i = 0; i < count; i++) {
		if (direction == BACKWARD ? !continue_over_forks(replay, journey, failure)
					  : !continue_on(replay, failure))
			return NULL;
		if (i + 1 == count || !is_countable(replay))
			break;
		if (direction == BACKWARD && !stand_here(replay, failure))
			return NULL;
		worker_progress(replay_worker(replay), (double)(i + 1), (double)count, NULL);
	}
	return execution_answer(replay, direction, NULL, failure);
}

/* False with *failure filled, and back where the call began, if nothing had that location. */
static bool until_was_known(struct replay *replay, int number, const struct continue_args *args,
    const struct return_ticket *begun, struct failure *failure)
{
	struct failure lost = {0};
	json_auto_t *results = NULL;
	bool waits;

	gdb_must(replay_gdb(replay), &results, "-break-list");
	waits = pending_waits(mi_breakpoint_row(mi_breakpoints(results), number));
	if (!waits)
		return true;
	pending_fail(replay, args->until, failure);
	if (!return_ticket_use(replay, begun, &lost))
		*failure = lost;
	return false;
}

static json_t *run_on(struct replay *replay, const struct continue_args *args,
    struct journey *journey, struct failure *failure)
{
	enum direction direction = direction_of(args->reverse);
	struct return_ticket begun;
	json_t *stop;

	if (execution_is_over(replay, direction))
		return execution_answer(replay, direction, NULL, failure);
	if (args->until && !(journey->number = set_until(replay, args->until, failure)))
		return NULL;
	begun = return_ticket_here(replay);
	stop = continue_times(replay, direction, args->count, journey, failure);
	if (stop && replay_is_at_end(replay) && journey->number &&
	    !until_was_known(replay, journey->number, args, &begun, failure)) {
		json_decref(stop);
		stop = NULL;
	}
	temporary_breakpoint_delete(replay, journey->number);
	if (stop && (replay_is_at_end(replay) || replay_taught(replay)->library_late))
		pending_note(replay, stop);
	return stop;
}

/* Where a run back ended because the process begins there. */
static void note_fork(struct replay *replay, json_t *stop)
{
	const char *reason = mi_text(stop, "reason");

	if (reason && strcmp(reason, "start") == 0 && handover_is_at_fork(replay))
		stop_add_note(
		    stop, json_sprintf(
			      "process %lld was forked here: the next call that goes back goes on "
			      "in its parent, process %lld",
			      replay_pid(replay), images_forked_by(replay)->pid));
}

json_t *tool_continue(
    struct replay *replay, const struct continue_args *args, struct failure *failure)
{
	struct journey journey = {.until = args->until};
	json_t *stop;

	if (!execution_depart(replay, args->evaluate, failure))
		return NULL;
	if (args->reverse)
		journey.handover = handover_begin(replay, NULL);
	stop = run_on(replay, args, &journey, failure);
	if (stop && journey.handover.place)
		note_fork(replay, stop);
	stop = handover_end(&journey.handover, replay, stop, failure);
	return evaluate_beside(replay, stop, args->evaluate);
}

/* rr cannot stop at every event. */
static void note_landing(const struct replay *replay, const struct moment *to, json_t *stop)
{
	if (stop && to->event && to->event != REPLAY_EVENT_FAR &&
	    replay_now(replay)->event != to->event)
		stop_add_note(
		    stop, json_sprintf(
			      "rr cannot stop at event %lld: this is the next event where it can",
			      to->event));
}

/* Ticks without an address come from a person, or from a log of rr's. */
static void note_beside(const struct moment *to, json_t *stop)
{
	stop_add_note(
	    stop, json_sprintf("event %lld has no instruction with %lld ticks: this is the nearest "
			       "moment that begins an event",
		      to->event, to->ticks));
}

/* Goes there, or stays if the moment is not in the recording. */
static json_t *go(struct replay *replay, const struct moment *to, const char *reason,
    struct handover *handover, struct failure *failure)
{
	struct failure lost = {0};
	bool beside;
	json_t *stop;

	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (moment_visit_to(replay, to, &beside, failure)) {
		handover_stay(replay, handover);
		excursion_stay(&excursion);
		replay_run(replay)->departed = (struct moment){0};
		stop = execution_answer(replay, FORWARD, reason, failure);
		if (beside)
			note_beside(to, stop);
		else
			note_landing(replay, to, stop);
		return stop;
	}
	visit_end(replay);
	if (!excursion_return(&excursion, &lost) && lost.message[0])
		*failure = lost;
	return NULL;
}

static json_t *go_answer(struct replay *replay, const struct moment *to, const char *reason,
    const json_t *evaluate, struct failure *failure)
{
	struct handover handover = handover_begin(replay, to);
	json_t *stop = go(replay, to, reason, &handover, failure);

	return evaluate_beside(replay, handover_end(&handover, replay, stop, failure), evaluate);
}

json_t *tool_run_to_event(
    struct replay *replay, const struct run_to_event_args *args, struct failure *failure)
{
	struct moment moment = {.event = args->event_number};

	if (!execution_depart(replay, args->evaluate, failure))
		return NULL;
	return go_answer(replay, &moment, NULL, args->evaluate, failure);
}

json_t *tool_goto(struct replay *replay, const struct goto_args *args, struct failure *failure)
{
	struct moment moment;

	if (!execution_depart(replay, args->evaluate, failure) ||
	    !moment_parse(replay, args->moment, &moment, failure))
		return NULL;
	return go_answer(
	    replay, &moment, moment.event ? "event" : "start", args->evaluate, failure);
}

json_t *tool_when(struct replay *replay, const struct when_args *args, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	struct moment moment;

	(void)args;
	if (!position_read(replay, &moment, failure))
		return NULL;
	/* Of the ticks, rr 5.6 tells those of the thread that gdb has looked at last. */
	if (moment.event == now->event)
		moment = *now;
	return json_pack("{s:I,s:o,s:i}", "event", (json_int_t)moment.event, "moment",
	    moment_name(replay, &moment), "tid", replay_selected(replay)->tid);
}
