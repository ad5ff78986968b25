/*
 * Saves, lists and restores checkpoints: {id, moment with pc, where, pid, held}. The pid is that of
 * the process, because a session goes back over forks. `held` is the number of rr's own checkpoint
 * there. It lasts as long as this rr, so it is not saved.
 */
#include <stdio.h>
#include <string.h>
#include "worker/serve/handlers.h"
#include "worker/breaks/breakpoints.h"
#include "worker/inspect/checkpoints.h"
#include "worker/inspect/evaluate.h"
#include "worker/session/replay.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/state.h"
#include "worker/moment/visit.h"
#include "worker/run/stop.h"
#include "worker/serve/sentence.h"

#define WHERE_MAX 160
#define ENTRY_MAX 160 /* bytes that one takes in the saved state, beside that */

static json_t *find(struct replay *replay, long long id, size_t *at, struct failure *failure)
{
	json_t *entry;
	size_t i;

	json_array_foreach(replay_checkpoints(replay)->entries, i, entry)
	{
		if (json_integer_value(json_object_get(entry, "id")) == id) {
			*at = i;
			return entry;
		}
	}
	failure_set(failure, ERROR_NOT_FOUND, "rr_checkpoint_list shows the checkpoints",
	    "there is no checkpoint %lld", id);
	return NULL;
}

static json_t *shown(struct replay *replay, const json_t *entry)
{
	struct moment moment;
	json_t *json = json_copy((json_t *)entry);

	json_object_del(json, "held");
	if (json_integer_value(json_object_get(entry, "pid")) == replay_pid(replay))
		json_object_del(json, "pid");
	if (moment_from_json(json_object_get(entry, "moment"), &moment))
		json_object_set_new(json, "moment", moment_name(replay, &moment));
	return json;
}

json_t *checkpoints_place(struct replay *replay)
{
	json_t *results = NULL, *frame, *place;
	char where[WHERE_MAX];

	/* What is not known is told as ??. */
	gdb_try(replay_gdb(replay), &results, "-stack-info-frame --thread %d --frame 0",
	    replay_selected(replay)->number);
	frame = json_object_get(results, "frame");
	snprintf(where, sizeof(where), "%s at %s:%s",
	    mi_text(frame, "func") ? mi_text(frame, "func") : "??",
	    mi_text(frame, "file") ? mi_text(frame, "file") : "??",
	    mi_text(frame, "line") ? mi_text(frame, "line") : "?");
	json_decref(results);
	position_take_sum(replay);
	place = json_pack("{s:o,s:s,s:I}", "moment", moment_json(replay_now(replay)), "where",
	    where, "pid", (json_int_t)replay_pid(replay));
	answer_add_flag(place, "at_end", replay_is_at_end(replay));
	return place;
}

static bool has_room(struct replay *replay, struct failure *failure)
{
	if (json_array_size(replay_checkpoints(replay)->entries) < REPLAY_CHECKPOINTS_MAX)
		return state_has_room(replay, WHERE_MAX + ENTRY_MAX, failure);
	failure_set(failure, ERROR_LIMIT, "delete some with rr_checkpoint_delete",
	    "there are already %d checkpoints", REPLAY_CHECKPOINTS_MAX);
	return false;
}

/* Takes the place over. */
static json_t *add(struct replay *replay, json_t *place)
{
	json_object_set_new(place, "id", json_integer(replay_checkpoints(replay)->next++));
	json_array_append_new(replay_checkpoints(replay)->entries, place);
	return place;
}

static bool is_of(const json_t *entry, const json_t *place)
{
	static const char *const same[] = {"moment", "pid", "at_end"};

	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		const json_t *one = json_object_get(entry, same[i]);
		const json_t *other = json_object_get(place, same[i]);

		if (one != other && !json_equal(one, other))
			return false;
	}
	return true;
}

int checkpoints_keep_place(struct replay *replay, const json_t *place)
{
	struct failure full = {0};
	json_t *entry;
	size_t i;

	json_array_foreach(replay_checkpoints(replay)->entries, i, entry)
	{
		if (is_of(entry, place))
			return (int)json_integer_value(json_object_get(entry, "id"));
	}
	if (!has_room(replay, &full))
		return 0;
	entry = add(replay, json_deep_copy(place));
	return (int)json_integer_value(json_object_get(entry, "id"));
}

json_t *tool_checkpoint_save(
    struct replay *replay, const struct checkpoint_save_args *args, struct failure *failure)
{
	json_t *entry, *result;

	(void)args;
	if (!has_room(replay, failure))
		return NULL;
	entry = add(replay, checkpoints_place(replay));
	json_object_set_new(entry, "held", json_integer(position_hold(replay)));
	result = shown(replay, entry);
	json_object_set(result, "checkpoint_id", json_object_get(entry, "id"));
	json_object_del(result, "id");
	replay_changed(replay);
	return result;
}

/* To a place in another process, which becomes the session's. */
static bool go_to_process(struct replay *replay, long long pid, const struct return_ticket *place,
    struct failure *failure)
{
	const struct return_ticket here = return_ticket_here(replay);
	struct failure late = {0};
	bool ok;

	breakpoints_suspend(replay);
	ok = visit_process(
		 replay, pid, place->at_end ? REPLAY_EVENT_FAR : place->moment.event, failure) &&
	     return_ticket_use(replay, place, failure);
	if (ok)
		visit_stay(replay);
	else
		visit_end(replay);
	if (ok)
		breakpoints_enter(replay);
	else if (!replay_worker(replay)->broken && !return_ticket_use(replay, &here, &late))
		*failure = late;
	breakpoints_resume(replay);
	return ok;
}

static bool go(struct replay *replay, const json_t *entry, struct failure *failure)
{
	const json_t *pid = json_object_get(entry, "pid");
	struct return_ticket place = {0};

	if (!moment_from_json(json_object_get(entry, "moment"), &place.moment))
		return false;
	place.at_end = json_is_true(json_object_get(entry, "at_end"));
	place.held = (int)json_integer_value(json_object_get(entry, "held"));
	return !pid || json_integer_value(pid) == replay_pid(replay)
		   ? return_ticket_use(replay, &place, failure)
		   : go_to_process(replay, json_integer_value(pid), &place, failure);
}

json_t *tool_checkpoint_restore(
    struct replay *replay, const struct checkpoint_restore_args *args, struct failure *failure)
{
	const long long pid = replay_pid(replay);
	json_t *entry, *stop;
	size_t at;

	if (!evaluate_may(args->evaluate, failure))
		return NULL;
	entry = find(replay, args->checkpoint_id, &at, failure);
	if (!entry || !go(replay, entry, failure))
		return NULL;
	stop = stop_answer(replay, FORWARD, "event", failure);
	if (stop && replay_pid(replay) != pid)
		json_object_set_new(stop, "pid", json_integer(replay_pid(replay)));
	replay_changed(replay);
	return evaluate_beside(replay, stop, args->evaluate);
}

json_t *tool_checkpoint_list(
    struct replay *replay, const struct checkpoint_list_args *args, struct failure *failure)
{
	json_t *list = json_array(), *entry;
	size_t i;

	(void)args;
	(void)failure;
	json_array_foreach(replay_checkpoints(replay)->entries, i, entry)
	    json_array_append_new(list, shown(replay, entry));
	return json_pack("{s:o}", "checkpoints", list);
}

json_t *tool_checkpoint_delete(
    struct replay *replay, const struct checkpoint_delete_args *args, struct failure *failure)
{
	json_t *entry, *result;
	size_t at;

	entry = find(replay, args->checkpoint_id, &at, failure);
	if (!entry)
		return NULL;
	result = json_pack("{s:O}", "deleted", json_object_get(entry, "id"));
	position_release(replay, (int)json_integer_value(json_object_get(entry, "held")));
	json_array_remove(replay_checkpoints(replay)->entries, at);
	replay_changed(replay);
	return result;
}
