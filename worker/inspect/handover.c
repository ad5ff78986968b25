/*
 * Crosses a fork, and tells of it. Must never move the session to another process without a word.
 */
#include "worker/inspect/handover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/breaks/breakpoints.h"
#include "worker/inspect/checkpoints.h"
#include "worker/moment/crossing.h"
#include "worker/moment/position.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/visit.h"
#include "worker/run/stop.h"
#include "worker/session/images.h"
#include "worker/session/launch/kernel_writes.h"
#include "worker/session/relatives.h"
#include "worker/session/stop_reason.h"

/* rr dump takes long on a long trace, so this comes after everything else that can be asked. */
static void learn_late(struct replay *replay)
{
	cleanup_failure struct failure ignored = {0};

	if (!images_forked_by(replay)->pid && !images_last_event(replay))
		kernel_writes_learn(replay, &ignored);
}

struct handover handover_begin(struct replay *replay, const struct moment *to)
{
	struct handover handover = {.from = replay_pid(replay)};
	const bool forked = images_get(replay, 0)->forked;

	if (!forked && !(to && visit_came_from(replay, 0)))
		return handover;
	if (forked && to && to->event > 0 && to->event < replay_now(replay)->event)
		learn_late(replay);
	handover.place = checkpoints_place(replay);
	handover.lost = json_array();
	handover.parent = images_forked_by(replay)->pid;
	return handover;
}

bool handover_is_at_fork(struct replay *replay)
{
	const struct forked_by *by = images_forked_by(replay);

	if (!crossing_is_at_first(replay))
		return false;
	learn_late(replay);
	/* A trace may have too many processes to know all. */
	return crossing_is_at_fork(replay) &&
	       relatives_at_event(replay, by->event) != replay_pid(replay);
}

bool handover_is_due(
    struct replay *replay, const struct handover *handover, bool *due, struct failure *failure)
{
	enum stop_kind kind = stop_kind(replay);

	*due = false;
	if (!handover->place || gdb_was_interrupted(replay_gdb(replay)) ||
	    (kind != STOP_START && kind != STOP_EVENT))
		return true;
	if (!position_update(replay, failure))
		return false;
	*due = handover_is_at_fork(replay);
	return true;
}

/* What gdb could not set again is told at the end. */
static void settle(struct replay *replay, struct handover *handover, long long child)
{
	cleanup_free char *lost = NULL;

	visit_stay(replay);
	lost = breakpoints_follow(replay, child);
	if (lost)
		json_array_append_new(handover->lost,
		    json_sprintf(strchr(lost, ',') ? "breakpoints %s are not set in process %lld"
						   : "breakpoint %s is not set in process %lld",
			lost, replay_pid(replay)));
}

bool handover_cross(struct replay *replay, struct handover *handover, struct failure *failure)
{
	const struct return_ticket here = return_ticket_here(replay);
	const long long child = replay_pid(replay);
	struct failure late = {0};

	if (child == handover->from)
		handover->parent = images_forked_by(replay)->pid;
	if (visit_parent(replay, failure)) {
		settle(replay, handover, child);
		stop_call_it_step(replay);
		replay_moves(replay);
		replay_run(replay)->departed = *replay_now(replay);
		return true;
	}
	if (replay_worker(replay)->broken)
		return false;
	visit_end(replay);
	if (return_ticket_use(replay, &here, &late))
		replay_changed(replay);
	else
		*failure = late;
	return false;
}

void handover_stay(struct replay *replay, struct handover *handover)
{
	if (!relatives_is_away(replay))
		return;
	if (relatives_descends(replay, handover->from, replay_pid(replay))) {
		settle(replay, handover, handover->from);
	} else {
		visit_stay(replay);
		breakpoints_enter(replay);
	}
}

static json_t *say_way_back(struct replay *replay, const struct handover *handover)
{
	int number = checkpoints_keep_place(replay, handover->place);

	if (number)
		return json_sprintf(
		    "rr_checkpoint_restore with checkpoint_id %d goes back to process "
		    "%lld",
		    number, handover->from);
	return json_sprintf("there is no room for a checkpoint: rr_replay_start with pid %lld goes "
			    "back to process %lld",
	    handover->from, handover->from);
}

static void tell(struct replay *replay, const struct handover *handover, json_t *stop)
{
	const long long pid = replay_pid(replay);
	const bool ahead = relatives_descends(replay, pid, handover->from);
	const long long parent = ahead ? images_forked_by(replay)->pid : handover->parent;
	const long long older = ahead ? handover->from : pid;
	json_t *text, *way = say_way_back(replay, handover);
	size_t i;

	stop_add_note(stop,
	    json_sprintf("process %lld %s process %lld, and the session is that of process %lld "
			 "now: %s",
		ahead ? pid : handover->from, parent == older ? "was forked by" : "descends from",
		older, pid, json_string_value(way)));
	json_decref(way);
	json_array_foreach(handover->lost, i, text) stop_add_note(stop, json_incref(text));
	json_object_set_new(stop, "pid", json_integer(pid));
}

/* A failure has no note of its own: its message says the same. */
static void tell_failure(
    struct replay *replay, const struct handover *handover, struct failure *failure)
{
	json_auto_t *told = failure->details ? json_incref(failure->details) : json_object();
	size_t length = strlen(failure->message);

	tell(replay, handover, told);
	snprintf(failure->message + length, sizeof(failure->message) - length, "; %s",
	    json_string_value(json_object_get(told, "note")));
}

json_t *handover_end(
    struct handover *handover, struct replay *replay, json_t *stop, struct failure *failure)
{
	if (handover->place && !replay_worker(replay)->broken &&
	    replay_pid(replay) != handover->from) {
		if (stop)
			tell(replay, handover, stop);
		else
			tell_failure(replay, handover, failure);
		replay_changed(replay);
	}
	json_decref(handover->place);
	json_decref(handover->lost);
	return stop;
}
