/*
 * Saves and restores a session. Restoring goes to the moment first: expressions and locations mean
 * what they meant there.
 */
#include "worker/breakpoints.h"
#include "worker/position.h"
#include "worker/state.h"

/* What rr itself holds does not outlive it. */
static json_t *checkpoints_json(const struct replay *replay)
{
	json_t *saved = json_deep_copy(replay->checkpoints), *entry;
	size_t i;

	json_array_foreach(saved, i, entry) json_object_del(entry, "held");
	return saved;
}

static json_t *state_json(const struct replay *replay)
{
	return json_pack("{s:s,s:I,s:I,s:b,s:o,s:i,s:i,s:b,s:b,s:o,s:o,s:i,s:i}", "trace_dir",
	    replay->trace_dir, "pid", (json_int_t)replay->pid, "asked_pid",
	    (json_int_t)replay->asked_pid, "fork_pid", replay->fork_pid, "moment",
	    position_json_exact(&replay->moment), "selected_tid", replay->selected_tid, "frame",
	    replay->frame, "at_end", replay->at_end, "at_signal", replay->at_signal, "breakpoints",
	    breakpoints_save(replay), "checkpoints", checkpoints_json(replay), "next_breakpoint",
	    replay->next_breakpoint, "next_checkpoint", replay->next_checkpoint);
}

void state_send(struct replay *replay)
{
	if (replay->worker->broken)
		return;
	worker_state(replay->worker, state_json(replay));
}

static int integer(const json_t *state, const char *name)
{
	return (int)json_integer_value(json_object_get(state, name));
}

bool state_restore(struct replay *replay, const json_t *state, struct op_reply *reply)
{
	const json_t *checkpoints = json_object_get(state, "checkpoints");
	struct moment moment;

	if (!position_from_json(json_object_get(state, "moment"), &moment)) {
		op_fail(reply, ERROR_INTERNAL, NULL, "the saved state has no moment");
		return false;
	}
	if (json_is_true(json_object_get(state, "at_end"))) {
		if (!position_go_event(replay, REPLAY_EVENT_FAR, reply))
			return false;
		replay->at_end = true;
	} else if (!position_go(replay, &moment, reply)) {
		return false;
	}
	breakpoints_restore(replay, json_object_get(state, "breakpoints"));
	if (json_is_array(checkpoints)) {
		json_decref(replay->checkpoints);
		replay->checkpoints = json_deep_copy(checkpoints);
	}
	if (integer(state, "next_breakpoint") > replay->next_breakpoint)
		replay->next_breakpoint = integer(state, "next_breakpoint");
	if (integer(state, "next_checkpoint") > replay->next_checkpoint)
		replay->next_checkpoint = integer(state, "next_checkpoint");
	return true;
}

void state_select(struct replay *replay, const json_t *state)
{
	int frame = integer(state, "frame"), tid = integer(state, "selected_tid");

	replay->at_signal = json_is_true(json_object_get(state, "at_signal"));
	if (tid && tid != replay->selected_tid)
		position_select_tid(replay, tid);
	if (frame && gdb_command(replay->gdb, NULL, "-stack-select-frame %d", frame) == GDB_DONE)
		replay->frame = frame;
}
