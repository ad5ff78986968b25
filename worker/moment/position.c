/*
 * Seeks moments, with rr's restarts, breakpoints and single steps.
 */
#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/registers.h"
#include "worker/moment/crossing.h"
#include "worker/session/images.h"
#include "worker/session/loaded.h"
#include "worker/moment/instant/fingerprint.h"
#include "worker/moment/instant/gallop.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/position.h"
#include "worker/moment/restart.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/session/stop_reason.h"

#define PC_STOPS_MAX	64    /* stops at the wanted pc before its ticks are reached */
#define PASSES_MAX	20000 /* of the wanted pc within its ticks: a string instruction repeats */
#define SEEK_BACK_MAX	4096  /* events to look for an earlier one of the same task */
#define EXEC_EVENTS_MAX 64    /* when a thread calls exec, the other threads end meanwhile */
#define STEPS_MAX	20000
#define RUN_TRIES	2

/* `run N` ends where N is completed, so the current event is then the next one. */
static bool run_to(struct replay *replay, long long event, struct failure *failure)
{
	const struct moment there = {.event = event};
	char target[32];

	snprintf(target, sizeof(target), "%lld", event > 0 ? event - 1 : 0);
	return restart_to(replay, target, &there, failure);
}

/*
 * The same, for an event of the present image. A walk of the oracle has found the session at its
 * start behind a seek to the end, once in 10,000, and why is not known: rr stops behind the event,
 * or at the end, but never before both the event and where it came from, nor at the start if the
 * event is a later one.
 */
static bool reach_event(struct replay *replay, long long event, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	const long long before = now->event;

	for (int tries = 0; tries < RUN_TRIES; tries++) {
		if (!run_to(replay, event, failure))
			return false;
		if (now->event >= event ||
		    (now->event >= before && now->event > images_start(replay)))
			return true;
	}
	if (gdb_must_stop(replay_gdb(replay)))
		worker_fail_interrupted(replay_worker(replay), failure);
	else
		failure_set(failure, ERROR_RR_FAILED, "call it again",
		    "rr stopped at event %lld, on the way from event %lld to a later one",
		    now->event, before);
	return false;
}

/* rr keeps no checkpoint of the end of a process. On the way there, once it is known, one that lies
 * an event before it is made, which makes the next ways short; but not on the way back after an
 * interrupt, which has little time. Whether the program has come to the end so. */
static bool hold_before_end(struct replay *replay)
{
	int *asked = &replay_loaded(replay)->before_end;
	const long long event = replay_end(replay)->event - 1;
	cleanup_failure struct failure unreached = {0};

	if (*asked == replay_rr_number(replay) + 1 || event <= images_start(replay) ||
	    event <= replay_now(replay)->event || !worker_goes_on(replay_worker(replay)))
		return false;
	*asked = replay_rr_number(replay) + 1;
	if (!position_go_event(replay, event, &unreached) || position_is_end(replay))
		return position_is_end(replay) && !unreached.message[0];
	position_hold(replay);
	return false;
}

bool position_go_event(struct replay *replay, long long event, struct failure *failure)
{
	/* The beginning of the session's present image. */
	if (event <= 0)
		event = images_start(replay);
	if (images_is_open(replay) && event > images_last_event(replay))
		event = images_last_event(replay);
	if (!crossing_enter(replay, images_of_event(replay, event), failure))
		return false;
	/* A search may have run to the end without a look at where it stood. */
	if (stop_kind(replay) == STOP_END && !replay_is_at_end(replay) &&
	    !position_update(replay, failure))
		return false;
	/* From the end, rr would search for a later event forever. */
	if (position_is_end(replay) && event > replay_now(replay)->event)
		return true;
	if (event == REPLAY_EVENT_FAR && hold_before_end(replay))
		return true;
	if (!reach_event(replay, event, failure))
		return false;
	/* rr cannot stop at every event, and here passed the exec. */
	return !crossing_is_passed(replay) ||
	       (crossing_enter(replay, images_at(replay) + 1, failure) &&
		   position_update(replay, failure));
}

bool position_go_end(struct replay *replay, struct failure *failure)
{
	bool ok;

	breakpoints_suspend(replay);
	ok = position_go_event(replay, REPLAY_EVENT_FAR, failure);
	breakpoints_resume(replay);
	return ok;
}

bool position_is_beyond(struct replay *replay, long long event, struct failure *failure)
{
	if (replay_end(replay)->event == 0 || event <= replay_end(replay)->event ||
	    event == REPLAY_EVENT_FAR)
		return false;
	failure_set(failure, ERROR_INVALID_ARGUMENT, "rr_goto with moment \"end\" goes there",
	    "there is no event %lld: the process ends at event %lld", event,
	    replay_end(replay)->event);
	return true;
}

static bool is_there(const struct replay *replay, const struct moment *to)
{
	const struct moment *now = replay_now(replay);

	return now->event == to->event && now->ticks == to->ticks &&
	       (to->tid == 0 || now->tid == to->tid);
}

/* Of several passes of the same instruction, at the one whose sum is known. */
static bool is_exactly_there(struct replay *replay, const struct moment *to)
{
	const struct moment *now = replay_now(replay);

	if (!is_there(replay, to) || (to->pc && now->pc != to->pc))
		return false;
	if (!to->pc || !to->sum)
		return true;
	position_take_sum(replay);
	return now->sum == to->sum;
}

/* Runs to the pc with an internal breakpoint, as long as the ticks are not beyond what is wanted.
 * gallops: passes may be left out. Then it may run too far, though hardly ever.
 */
static bool go_pc(
    struct replay *replay, const struct moment *to, bool gallops, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	struct gdb *gdb = replay_gdb(replay);
	json_t *results = NULL;
	bool ok = gdb_check(gdb, gdb_command(gdb, &results, "-break-insert -h *0x%llx", to->pc),
	    ERROR_RR_FAILED, NULL, failure);
	int number_of = mi_number(json_object_get(results, "bkpt"), "number", 0);
	struct gallop gallop = {0};
	struct registers_lent lent = {0};

	json_decref(results);
	if (ok)
		registers_lend(replay, &lent);
	if (ok && gallops)
		gallop = gallop_begin(replay, number_of, to->pc);
	for (int before = 0, passes = 0; ok && before < PC_STOPS_MAX && passes < PASSES_MAX;) {
		bool same_task = to->tid == 0 || now->tid == to->tid;

		if (now->event > to->event || position_is_end(replay) ||
		    (same_task && now->ticks > to->ticks))
			break;
		if (same_task && is_exactly_there(replay, to))
			break;
		if (is_there(replay, to))
			passes++;
		else
			before++;
		if (before > 1)
			gallop_set(&gallop, replay, to);
		ok = gdb_check(
			 gdb, gdb_run(gdb, "-exec-continue"), ERROR_RR_FAILED, NULL, failure) &&
		     position_update(replay, failure);
	}
	temporary_breakpoint_delete(replay, number_of);
	registers_take_back(replay, &lent);
	gallop_end(&gallop, replay);
	return ok;
}

/* A seek consists of several restarts, each of which cannot be interrupted. */
static bool is_interrupted(const struct replay *replay, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);

	if (gdb_must_stop(gdb))
		worker_fail_interrupted(replay_worker(replay), failure);
	return gdb_must_stop(gdb);
}

/*
 * Runs on to where the call of exec begins. rr cannot stop at every event, so it may have stopped
 * earlier, and the code from there to the call would be left out.
 */
static bool go_call(struct replay *replay, const struct moment *call, struct failure *failure)
{
	struct failure missed = {0};

	if (call->event == 0 || replay_now(replay)->event > call->event ||
	    go_pc(replay, call, false, &missed))
		return true;
	if (!replay_worker(replay)->broken && !gdb_must_stop(replay_gdb(replay)))
		return true;
	*failure = missed;
	return false;
}

bool position_go_exec(struct replay *replay, size_t number, struct failure *failure)
{
	long long exec = images_get(replay, number)->event;

	if (!crossing_enter(replay, number - 1, failure))
		return false;
	for (long long event = exec; event > exec - EXEC_EVENTS_MAX; event--) {
		if (!run_to(replay, event, failure))
			return false;
		if (!crossing_is_passed(replay))
			return go_call(replay, &images_get(replay, number)->call, failure);
	}
	failure_set(failure, ERROR_UNSUPPORTED, "rr_goto an earlier event",
	    "rr cannot stop before the exec at event %lld", exec);
	return false;
}

/*
 * rr seeks ticks for the current task, and only from the next event on: within the current event it
 * overshoots. So the seek begins at an earlier event of the same task. Returns false with *failure
 * filled, or with *none set if rr has no such event.
 */
static bool go_before(
    struct replay *replay, const struct moment *to, bool *none, struct failure *failure)
{
	const struct moment *now = replay_now(replay);

	*none = false;
	for (long long back = 1; back <= SEEK_BACK_MAX && back <= to->event; back *= 2) {
		if (is_interrupted(replay, failure) ||
		    !position_go_event(replay, to->event - back, failure))
			return false;
		if (now->event < to->event && (to->tid == 0 || now->tid == to->tid) &&
		    now->ticks <= to->ticks)
			return true;
	}
	*none = true;
	return false;
}

/* Single steps to the ticks; there are few between two close events. With `all`, within these to
 * the instant itself; there are few without a branch between them. */
static bool step_to(
    struct replay *replay, const struct moment *to, bool all, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	const struct moment *now = replay_now(replay);

	for (int i = 0; i < STEPS_MAX && now->event <= to->event && !position_is_end(replay); i++) {
		const bool same_task = to->tid == 0 || now->tid == to->tid;
		const bool near = same_task && now->ticks == to->ticks;

		if ((same_task && now->ticks > to->ticks) ||
		    (near && (!all || is_exactly_there(replay, to))))
			break;
		if (is_interrupted(replay, failure))
			return false;
		if (!gdb_check(gdb,
			gdb_run(gdb, all ? "-exec-step-instruction" : "-exec-step-instruction 4"),
			ERROR_RR_FAILED, NULL, failure) ||
		    !position_update(replay, failure))
			return false;
	}
	return true;
}

/* rr's own seek, or, where it has none, to the event. */
static bool go_near(
    struct replay *replay, const struct moment *to, bool *sought, struct failure *failure)
{
	char target[32];
	bool none;

	snprintf(target, sizeof(target), "t%lld", to->ticks);
	*sought = go_before(replay, to, &none, failure);
	if (*sought)
		return restart_to(replay, target, to, failure);
	return none && position_go_event(replay, to->event, failure);
}

static bool go_ticks(struct replay *replay, const struct moment *to, struct failure *failure)
{
	bool sought;

	if (!go_near(replay, to, &sought, failure))
		return false;
	if (sought)
		return true;
	return to->pc ? go_pc(replay, to, false, failure) : step_to(replay, to, false, failure);
}

/*
 * rr does what some system calls do (mmap, munmap, the return from a signal handler) before it
 * counts their event as done, and an interrupt can stop it in between. No seek ends there, but the
 * next event begins with the same registers and memory.
 */
static bool is_behind_call(struct replay *replay, const struct moment *to)
{
	return to->pc && to->sum && replay_now(replay)->event == to->event + 1 &&
	       fingerprint_has_thread_at(replay, to);
}

/* rr stops nowhere before the exec that the session begins with is done, but an interrupt does. */
static bool is_behind_first_call(struct replay *replay, const struct moment *to)
{
	const struct moment *now = replay_now(replay);

	return (to->tid == 0 || now->tid == to->tid) && now->ticks == to->ticks &&
	       is_behind_call(replay, to);
}

/* At the beginning of the event: goes there if it is such a moment, else stays. */
static bool try_behind_call(
    struct replay *replay, const struct moment *to, bool *arrived, struct failure *failure)
{
	*arrived = false;
	if (!to->pc || !to->sum || !is_there(replay, to) || !fingerprint_is_in_call(replay))
		return true;
	if (!position_go_event(replay, to->event + 1, failure))
		return false;
	*arrived = is_behind_call(replay, to);
	return *arrived || position_go_event(replay, to->event, failure);
}

/* To the beginning of the event, or within it to where the program was linked. */
static bool go_event_of(struct replay *replay, const struct moment *to, struct failure *failure)
{
	const struct linked *linked = loaded_linked_before(replay, to);

	if (linked && position_is_held(replay, linked->held))
		return position_restore(replay, linked->held, &linked->at, failure);
	return position_go_event(replay, to->event, failure);
}

/*
 * Each seek replays from rr's nearest checkpoint, often the start, and a seek to ticks single-steps
 * the last thousand. If the instruction is known, an event and a breakpoint are quicker.
 */
static bool go(struct replay *replay, const struct moment *to, struct failure *failure)
{
	const struct moment *now = replay_now(replay);
	struct failure missed = {0};
	bool arrived, sought, passed = false;

	if (!go_event_of(replay, to, failure) || position_is_beyond(replay, to->event, failure))
		return false;
	if (is_exactly_there(replay, to) || is_behind_first_call(replay, to))
		return true;
	if (!try_behind_call(replay, to, &arrived, failure))
		return false;
	if (arrived)
		return true;
	if (to->pc && now->event == to->event && (now->tid != to->tid || now->ticks <= to->ticks)) {
		if (go_pc(replay, to, true, &missed) && is_exactly_there(replay, to))
			return true;
		if (replay_worker(replay)->broken || gdb_must_stop(replay_gdb(replay))) {
			*failure = missed;
			return false;
		}
		passed = true;
	}
	/* If rr cannot stop at an event, it goes on to the next one where it can. */
	if ((passed || !is_there(replay, to)) && !go_ticks(replay, to, failure))
		return false;
	if (is_exactly_there(replay, to) || to->pc == 0)
		return true;
	if (!go_pc(replay, to, false, failure))
		return false;
	/* A debug trap may get lost, and with it what is there: without a breakpoint, it is not. */
	return is_exactly_there(replay, to) || is_behind_call(replay, to) ||
	       (go_near(replay, to, &sought, failure) && step_to(replay, to, true, failure));
}

static void fail_unreached(struct replay *replay, const struct moment *to, struct failure *failure)
{
	json_t *name = moment_name(replay, to);

	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "every stop shows its moment, and so does rr_when",
	    "the program does not reach %s: no instruction has this event and these ticks%s",
	    json_string_value(name), to->pc ? ", this address, and these registers" : "");
	json_decref(name);
}

/* Most often a search goes back to where it has just been. A name without a sum may mean another
 * instant, and a stop at a signal or at the end is more than its moment. */
static bool stands_there(struct replay *replay, const struct moment *to)
{
	struct failure ignored = {0};
	bool there;

	if (!to->pc || !to->sum || replay_is_at_end(replay) || replay_is_at_signal(replay) ||
	    !is_there(replay, to) || replay_now(replay)->pc != to->pc)
		return false;
	/* Whoever ran the program may not have looked where it stopped. */
	there = position_update(replay, &ignored) && !replay_is_at_end(replay) &&
		is_exactly_there(replay, to);
	json_decref(ignored.details);
	return there;
}

bool position_go(struct replay *replay, const struct moment *to, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	struct gdb *gdb = replay_gdb(replay);
	bool ok;

	if (stands_there(replay, to))
		return true;
	breakpoints_suspend(replay);
	ok = go(replay, to, failure);
	breakpoints_resume(replay);
	if (gdb_must_stop(gdb) && !failure->message[0])
		worker_fail_interrupted(worker, failure);
	if (worker->broken || gdb_must_stop(gdb) || position_is_beyond(replay, to->event, failure))
		return false;
	if (ok && (is_exactly_there(replay, to) || is_behind_call(replay, to)))
		return true;
	fail_unreached(replay, to, failure);
	return false;
}

bool position_restore(
    struct replay *replay, int held, const struct moment *there, struct failure *failure)
{
	char target[32];

	snprintf(target, sizeof(target), "c%d", position_number(held));
	return restart_to(replay, target, there, failure);
}

bool position_return(
    struct replay *replay, int held, const struct moment *there, struct failure *failure)
{
	bool ok;

	breakpoints_suspend(replay);
	ok = position_restore(replay, held, there, failure);
	breakpoints_resume(replay);
	return ok;
}
