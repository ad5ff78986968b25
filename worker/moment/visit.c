/*
 * A visit crosses from one process to another as crossing.c does from one image to another.
 */
#include "worker/moment/visit.h"

#include "worker/moment/crossing.h"
#include "worker/moment/position.h"
#include "worker/session/images.h"
#include "worker/session/launch/kernel_writes.h"
#include "worker/session/relatives.h"

bool visit_process(struct replay *replay, long long pid, long long event, struct failure *failure)
{
	if (pid == replay_pid(replay))
		return true;
	if (!relatives_turn_to(replay, pid)) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "rr_replay_start with its pid opens a session of it",
		    "process %lld of the recording cannot be visited", pid);
		return false;
	}
	kernel_writes_turn_to(replay, pid);
	return crossing_enter(replay, images_of_event(replay, event), failure) &&
	       position_update(replay, failure);
}

bool visit_story(struct replay *replay, long long event, struct failure *failure)
{
	/* The start that a client means is that of the session's last program. */
	if (event <= 0)
		event = REPLAY_EVENT_FAR;
	return visit_process(replay, relatives_at_event(replay, event), event, failure);
}

bool visit_parent(struct replay *replay, struct failure *failure)
{
	const struct forked_by by = *images_forked_by(replay);

	if (!by.pid || !by.call.pc) {
		failure_set(failure, ERROR_UNSUPPORTED, NULL,
		    "which call forked process %lld is not known", replay_pid(replay));
		return false;
	}
	return visit_process(replay, by.pid, by.call.event, failure) &&
	       position_go(replay, &by.call, failure);
}

/* Whether an entry behind that one is of the same process. */
static bool is_told_later(const json_t *entries, size_t at, long long pid)
{
	for (size_t i = at + 1; i < json_array_size(entries); i++)
		if (json_integer_value(json_object_get(json_array_get(entries, i), "pid")) == pid)
			return true;
	return false;
}

long long visit_came_from(struct replay *replay, size_t number)
{
	const json_t *entries = replay_checkpoints(replay)->entries;
	const long long home = relatives_home(replay);

	for (size_t i = json_array_size(entries); i-- > 0;) {
		const json_t *entry = json_array_get(entries, i);
		long long pid = json_integer_value(json_object_get(entry, "pid"));

		if (pid && pid != home && !is_told_later(entries, i, pid) && number-- == 0)
			return pid;
	}
	return 0;
}

bool visit_is_of_story(struct replay *replay, long long pid)
{
	const long long home = relatives_home(replay);
	long long other;

	for (size_t i = 0; (other = visit_came_from(replay, i)); i++)
		if (other == pid)
			return true;
	return pid == home || relatives_descends(replay, home, pid);
}

void visit_stay(struct replay *replay)
{
	relatives_settle(replay);
}

void visit_end(struct replay *replay)
{
	if (!relatives_is_away(replay))
		return;
	relatives_turn_home(replay);
	kernel_writes_turn_to(replay, replay_pid(replay));
}
