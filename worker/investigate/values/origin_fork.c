/*
 * From the memory that a process got from its parent at the fork on to the parent, where it has the
 * same address.
 */
#include <string.h>
#include "worker/investigate/values/origin_pipe.h"
#include "worker/read/values/accessed.h"

/* The call of fork or its like that made the process; NULL: not known. */
static const struct input_call *call_that_made(const struct inputs *inputs, long long pid)
{
	const struct input_task *made = NULL;

	for (size_t i = 0; i < inputs->task_count; i++)
		if (inputs->tasks[i].kind == INPUT_CLONE && inputs->tasks[i].tid == pid)
			made = &inputs->tasks[i];
	for (size_t i = 0; made && i < inputs->count; i++)
		if (inputs->calls[i].tid == made->parent && inputs->calls[i].is_call &&
		    inputs->calls[i].entered <= made->event &&
		    inputs->calls[i].event >= made->event)
			return &inputs->calls[i];
	return NULL;
}

static bool is_there(struct origin *origin)
{
	const struct origin_bytes *now = &origin->now;
	uint8_t bytes[ORIGIN_BYTES_MAX];

	return accessed_whole(origin->replay, now->address, bytes, now->size) &&
	       memcmp(bytes, now->bytes, now->size) == 0;
}

bool origin_from_fork(struct origin *origin, struct failure *failure)
{
	struct replay *replay = origin->replay;
	const long long child = replay_pid(replay);
	const struct input_call *call = call_that_made(&origin->writes->inputs, child);

	if (call && origin_go_to_call(origin, call, failure) && is_there(origin)) {
		origin_cross(origin);
		origin_add_hop(origin, origin_hop(origin),
		    "copied by %s into process %lld, at the same address", call->name, child);
		return true;
	}
	if (!worker_goes_on(replay_worker(replay)))
		return origin_stop(origin, failure);
	failure_forget(failure);
	return origin_finish(origin, ORIGIN_UNKNOWN,
	    "it was there when the process was forked; a session of its parent knows more");
}
