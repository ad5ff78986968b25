/*
 * A call is one instruction, so one step passes it.
 */
#include "worker/run/recorded_call.h"

#include <string.h>
#include "worker/moment/position.h"
#include "worker/read/values/accessed.h"
#include "worker/run/sweep/resume.h"

struct moment recorded_call_moment(const struct input_call *call)
{
	return (struct moment){
	    .event = call->entered, .ticks = call->ticks, .tid = call->tid, .pc = call->pc};
}

bool recorded_call_pass(struct replay *replay, struct failure *failure)
{
	const struct resumption one = {"step-instruction", FORWARD, true, -1, 0};

	return resume_run(replay, &one, failure) && position_update(replay, failure);
}

bool recorded_call_pair(struct replay *replay, const struct input_call *call, int pair[2])
{
	bool socket = strcmp(call->name, "socketpair") == 0;

	return accessed_whole(
	    replay, socket ? call->args[3] : call->args[0], (uint8_t *)pair, 2 * sizeof(int));
}
