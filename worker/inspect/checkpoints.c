/*
 * Saves, lists and restores checkpoints: {id, moment with pc, where, held}. `held` is the number of
 * rr's own checkpoint there. It lasts as long as this rr, so it is not saved.
 */
#include <stdio.h>
#include <string.h>
#include "worker/serve/handlers.h"
#include "worker/inspect/evaluate.h"
#include "worker/session/replay.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/position.h"
#include "worker/moment/moment_names.h"
#include "worker/moment/state.h"
#include "worker/run/stop.h"

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

	if (position_from_json(json_object_get(entry, "moment"), &moment))
		json_object_set_new(json, "moment", moment_name(replay, &moment));
	return json;
}

json_t *tool_checkpoint_save(
    struct replay *replay, const struct checkpoint_save_args *args, struct failure *failure)
{
	json_t *results = NULL, *frame, *entry, *result;
	char where[WHERE_MAX];

	(void)args;
	if (json_array_size(replay_checkpoints(replay)->entries) >= REPLAY_CHECKPOINTS_MAX) {
		failure_set(failure, ERROR_LIMIT, "delete some with rr_checkpoint_delete",
		    "there are already %d checkpoints", REPLAY_CHECKPOINTS_MAX);
		return NULL;
	}
	if (!state_has_room(replay, WHERE_MAX + ENTRY_MAX, failure))
		return NULL;
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
	entry = json_pack("{s:i,s:o,s:s}", "id", replay_checkpoints(replay)->next++, "moment",
	    position_json_exact(replay_now(replay)), "where", where);
	if (replay_is_at_end(replay))
		json_object_set_new(entry, "at_end", json_true());
	json_object_set_new(entry, "held", json_integer(position_hold(replay)));
	json_array_append_new(replay_checkpoints(replay)->entries, entry);
	result = shown(replay, entry);
	json_object_set(result, "checkpoint_id", json_object_get(entry, "id"));
	json_object_del(result, "id");
	replay_changed(replay);
	return result;
}

json_t *tool_checkpoint_restore(
    struct replay *replay, const struct checkpoint_restore_args *args, struct failure *failure)
{
	struct return_ticket place = {0};
	json_t *entry, *stop;
	size_t at;

	if (!evaluate_may(args->evaluate, failure))
		return NULL;
	entry = find(replay, args->checkpoint_id, &at, failure);
	if (!entry || !position_from_json(json_object_get(entry, "moment"), &place.moment))
		return NULL;
	place.at_end = json_is_true(json_object_get(entry, "at_end"));
	place.held = (int)json_integer_value(json_object_get(entry, "held"));
	if (!return_ticket_use(replay, &place, failure))
		return NULL;
	stop = stop_answer(replay, FORWARD, "event", failure);
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
