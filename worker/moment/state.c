/*
 * Saves and restores a session. Restoring goes to the moment first, because expressions and
 * locations have their meaning there.
 */
#include <limits.h>
#include "sandbox/wire/proto.h"
#include "worker/breaks/breakpoints.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/position.h"
#include "worker/moment/signals.h"
#include "worker/session/core.h"
#include "worker/session/selection.h"
#include "worker/moment/state.h"

/* Bytes of the state beside breakpoints and checkpoints. rr_breakpoint_list says more of each than
 * the state has, and must fit into an answer as well. */
#define LISTED_MAX 12000
#define REST_MAX   (PATH_MAX + 1024 + LISTED_MAX)

/* What rr itself holds ends with that rr. */
static json_t *checkpoints_json(struct replay *replay)
{
	json_t *saved = json_deep_copy(replay_checkpoints(replay)->entries), *entry;
	size_t i;

	json_array_foreach(saved, i, entry) json_object_del(entry, "held");
	return saved;
}

/* What can be selected, and which file it must be. */
static json_t *core_json(const struct replay *replay)
{
	const struct selection *selected = replay_selected(replay);

	return json_pack("{s:s,s:o,s:I,s:i,s:i}", "core", core_path(replay_core(replay)),
	    "core_identity", core_identity_json(replay_core(replay)), "pid",
	    (json_int_t)replay_pid(replay), "selected_tid", selected->tid, "frame",
	    selected->frame);
}

static json_t *state_json(struct replay *replay)
{
	const struct selection *selected = replay_selected(replay);

	if (replay_core(replay))
		return core_json(replay);
	position_take_sum(replay);
	return json_pack("{s:s,s:I,s:I,s:b,s:o,s:i,s:i,s:b,s:b,s:o,s:o,s:i,s:i,s:o}", "trace_dir",
	    replay_trace_dir(replay), "pid", (json_int_t)replay_pid(replay), "asked_pid",
	    (json_int_t)replay_asked(replay)->pid, "fork_pid", replay_is_from_fork(replay),
	    "moment", moment_json(replay_now(replay)), "selected_tid", selected->tid, "frame",
	    selected->frame, "at_end", replay_is_at_end(replay), "at_signal",
	    replay_is_at_signal(replay), "breakpoints", breakpoints_save(replay), "checkpoints",
	    checkpoints_json(replay), "next_breakpoint", replay_breakpoints(replay)->next,
	    "next_checkpoint", replay_checkpoints(replay)->next, "signals", signals_save(replay));
}

bool state_has_room(struct replay *replay, size_t more, struct failure *failure)
{
	json_t *kept = json_pack("[o,o]", breakpoints_save(replay), checkpoints_json(replay));
	size_t length = json_dumpb(kept, NULL, 0, JSON_COMPACT);

	json_decref(kept);
	/* JSON writes a quotation mark as two bytes. */
	if (length + 2 * more + REST_MAX <= WIRE_STATE_MAX)
		return true;
	failure_set(failure, ERROR_LIMIT,
	    "remove some with rr_breakpoint_remove or rr_checkpoint_delete",
	    "the breakpoints and checkpoints of this session are so long that a session that is "
	    "brought back could not have them all");
	return false;
}

void state_send(struct replay *replay)
{
	struct worker *worker = replay_worker(replay);

	if (worker->broken)
		return;
	worker_state(worker, state_json(replay));
}

static int integer(const json_t *state, const char *name)
{
	return (int)json_integer_value(json_object_get(state, name));
}

bool state_restore(struct replay *replay, const json_t *state, struct failure *failure)
{
	struct breakpoint_list *list = replay_breakpoints(replay);
	const json_t *checkpoints = json_object_get(state, "checkpoints");
	struct moment moment;

	if (!moment_from_json(json_object_get(state, "moment"), &moment)) {
		failure_set(failure, ERROR_INTERNAL, NULL, "the saved state has no moment");
		return false;
	}
	if (json_is_true(json_object_get(state, "at_end"))) {
		if (!position_go_event(replay, REPLAY_EVENT_FAR, failure))
			return false;
		replay_stands(replay, true, replay_is_at_signal(replay));
	} else if (!position_go(replay, &moment, failure)) {
		return false;
	}
	breakpoints_restore(replay, json_object_get(state, "breakpoints"));
	signals_restore(replay, json_object_get(state, "signals"));
	if (json_is_array(checkpoints)) {
		json_decref(replay_checkpoints(replay)->entries);
		replay_checkpoints(replay)->entries = json_deep_copy(checkpoints);
	}
	if (integer(state, "next_breakpoint") > list->next)
		list->next = integer(state, "next_breakpoint");
	if (integer(state, "next_checkpoint") > replay_checkpoints(replay)->next)
		replay_checkpoints(replay)->next = integer(state, "next_checkpoint");
	return true;
}

void state_select(struct replay *replay, const json_t *state)
{
	int frame = integer(state, "frame"), tid = integer(state, "selected_tid");

	replay_stands(
	    replay, replay_is_at_end(replay), json_is_true(json_object_get(state, "at_signal")));
	if (tid && tid != replay_selected(replay)->tid)
		selection_set_thread(replay, tid);
	if (frame)
		selection_set_frame(replay, frame);
}
