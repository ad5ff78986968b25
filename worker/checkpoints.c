/*
 * Saves, lists and goes back to checkpoints: {id, moment with pc, where, held}. `held` is rr's
 * number of its own checkpoint there, which lasts as long as this rr and is not saved.
 */
#include <stdio.h>
#include <string.h>
#include "worker/arguments.h"
#include "worker/checkpoints.h"
#include "worker/mi.h"
#include "worker/position.h"
#include "worker/state.h"
#include "worker/stop.h"

#define WHERE_MAX 160

static json_t *find(struct replay *replay, json_t *args, size_t *at, struct op_reply *reply)
{
	long long id;
	json_t *entry;
	size_t i;

	if (!argument_integer(args, "checkpoint_id", 0, 1, 1000000, &id, reply))
		return NULL;
	json_array_foreach(replay->checkpoints, i, entry)
	{
		if (json_integer_value(json_object_get(entry, "id")) == id) {
			*at = i;
			return entry;
		}
	}
	op_fail(reply, ERROR_NOT_FOUND, "rr_checkpoint_list shows those there are",
	    "there is no checkpoint %lld", id);
	return NULL;
}

static json_t *shown(const json_t *entry)
{
	struct moment moment;
	json_t *json = json_copy((json_t *)entry);

	json_object_del(json, "held");

	if (position_from_json(json_object_get(entry, "moment"), &moment))
		json_object_set_new(json, "moment", position_json(&moment));
	return json;
}

void checkpoints_save(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	json_t *results = NULL, *frame, *entry;
	char where[WHERE_MAX];

	(void)args;
	if (!replay)
		return;
	if (json_array_size(replay->checkpoints) >= REPLAY_CHECKPOINTS_MAX) {
		op_fail(reply, ERROR_LIMIT, "delete some with rr_checkpoint_delete",
		    "there are %d checkpoints already", REPLAY_CHECKPOINTS_MAX);
		return;
	}
	gdb_command(
	    replay->gdb, &results, "-stack-info-frame --thread %d --frame 0", replay->thread);
	frame = json_object_get(results, "frame");
	snprintf(where, sizeof(where), "%s at %s:%s",
	    mi_text(frame, "func") ? mi_text(frame, "func") : "??",
	    mi_text(frame, "file") ? mi_text(frame, "file") : "??",
	    mi_text(frame, "line") ? mi_text(frame, "line") : "?");
	json_decref(results);
	entry = json_pack("{s:i,s:o,s:s}", "id", replay->next_checkpoint++, "moment",
	    position_json_exact(&replay->moment), "where", where);
	if (replay->at_end)
		json_object_set_new(entry, "at_end", json_true());
	json_object_set_new(entry, "held", json_integer(position_hold(replay)));
	json_array_append_new(replay->checkpoints, entry);
	reply->result = shown(entry);
	json_object_set(reply->result, "checkpoint_id", json_object_get(entry, "id"));
	state_send(replay);
}

void checkpoints_restore(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	struct moment moment;
	json_t *entry;
	size_t at;
	int held;

	entry = replay ? find(replay, args, &at, reply) : NULL;
	if (!entry || !position_from_json(json_object_get(entry, "moment"), &moment))
		return;
	held = (int)json_integer_value(json_object_get(entry, "held"));
	if (json_is_true(json_object_get(entry, "at_end"))) {
		moment = (struct moment){.event = REPLAY_EVENT_FAR};
		held = 0;
	}
	if (held ? !position_return(replay, held, reply) : !position_go(replay, &moment, reply))
		return;
	stop_answer(replay, FORWARD, "event", reply);
	state_send(replay);
}

void checkpoints_list(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	json_t *list, *entry;
	size_t i;

	(void)args;
	if (!replay)
		return;
	list = json_array();
	json_array_foreach(replay->checkpoints, i, entry) json_array_append_new(list, shown(entry));
	reply->result = json_pack("{s:o}", "checkpoints", list);
}

void checkpoints_delete(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct replay *replay = replay_of(worker, reply);
	json_t *entry;
	size_t at;

	entry = replay ? find(replay, args, &at, reply) : NULL;
	if (!entry)
		return;
	reply->result = json_pack("{s:O}", "deleted", json_object_get(entry, "id"));
	position_release(replay, (int)json_integer_value(json_object_get(entry, "held")));
	json_array_remove(replay->checkpoints, at);
	state_send(replay);
}
