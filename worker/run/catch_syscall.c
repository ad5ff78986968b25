#include "worker/run/catch_syscall.h"

#include <stdio.h>
#include <string.h>
#include "worker/session/images.h"
#include "worker/moment/position.h"
#include "worker/session/launch/kernel_writes.h"
#include "worker/moment/instant/moment_names.h"

#define BEFORE	  2 /* calls that are told before the present moment ... */
#define AFTER	  8 /* ... and from it on */
#define NAMES_MAX 20
#define ARGS	  3 /* of a call that are shown */

struct around {
	const struct input_call *before[BEFORE], *after[AFTER]; /* before: the last one first */
	size_t before_count, after_count;
	long long total;
};

static struct moment moment_of(const struct input_call *call)
{
	return (struct moment){
	    .event = call->entered, .ticks = call->ticks, .tid = call->tid, .pc = call->pc};
}

/* rr's own calls come before the program's first exec. */
static bool is_meant(const struct replay *replay, const struct kernel_writes *writes,
    const struct input_call *call, const char *filter)
{
	return call->is_call && kernel_writes_is_ours(writes, call->tid) &&
	       call->entered >= images_get(replay, 0)->event &&
	       (!filter || strcmp(call->name, filter) == 0);
}

static void look_around(struct replay *replay, const struct kernel_writes *writes,
    const char *filter, struct around *around)
{
	for (size_t i = 0; i < writes->inputs.count; i++) {
		const struct input_call *call = &writes->inputs.calls[i];
		struct moment moment = moment_of(call);

		if (!is_meant(replay, writes, call, filter))
			continue;
		around->total++;
		if (position_order(&moment, replay_now(replay)) < 0) {
			memmove(around->before + 1, around->before,
			    (BEFORE - 1) * sizeof(*around->before));
			around->before[0] = call;
			around->before_count += around->before_count < BEFORE;
		} else if (around->after_count < AFTER) {
			around->after[around->after_count++] = call;
		}
	}
}

/* "177:4201 thread 12: write(0x1, 0x5578, 0x6) = 6" */
static json_t *tell(struct replay *replay, const struct input_call *call)
{
	const struct moment moment = moment_of(call);
	json_auto_t *name = moment_name(replay, &moment);

	return json_sprintf("%s thread %d: %s(0x%llx, 0x%llx, 0x%llx%s) = %lld",
	    json_string_value(name), call->tid, call->name, call->args[0], call->args[1],
	    call->args[2], call->args[ARGS] ? ", ..." : "", call->result);
}

static json_t *list(struct replay *replay, const struct around *around)
{
	json_t *calls = json_array();

	for (size_t i = around->before_count; i > 0; i--)
		json_array_append_new(calls, tell(replay, around->before[i - 1]));
	for (size_t i = 0; i < around->after_count; i++)
		json_array_append_new(calls, tell(replay, around->after[i]));
	return calls;
}

/* Names the calls that there are. */
static void fail_none(struct replay *replay, const struct kernel_writes *writes, const char *filter,
    struct failure *failure)
{
	char hint[FAILURE_HINT_MAX] = "the trace has ";
	const char *names[NAMES_MAX];
	size_t count = 0, k;

	for (size_t i = 0; i < writes->inputs.count && count < NAMES_MAX; i++) {
		const struct input_call *call = &writes->inputs.calls[i];

		if (!is_meant(replay, writes, call, NULL))
			continue;
		for (k = 0; k < count && strcmp(names[k], call->name) != 0; k++)
			;
		if (k < count)
			continue;
		names[count++] = call->name;
		snprintf(hint + strlen(hint), sizeof(hint) - strlen(hint), "%s%s",
		    count > 1 ? ", " : "", call->name);
	}
	failure_set(failure, ERROR_NOT_FOUND, count ? hint : NULL,
	    "this process never called %.40s", filter ? filter : "the kernel");
}

json_t *catch_syscall(struct replay *replay, const char *filter, struct failure *failure)
{
	const struct kernel_writes *writes = kernel_writes_learn(replay, failure);
	struct around around = {0};
	json_t *answer, *next;

	if (!writes)
		return NULL;
	look_around(replay, writes, filter, &around);
	if (!around.total) {
		fail_none(replay, writes, filter, failure);
		return NULL;
	}
	next = around.after_count ? tell(replay, around.after[0]) : json_string("none");
	answer = json_pack("{s:s, s:o, s:o, s:s}", "kind", "syscall", "conclusion",
	    json_sprintf("this process called %.40s %lld time%s; the next one: %s",
		filter ? filter : "the kernel", around.total, around.total == 1 ? "" : "s",
		json_string_value(next)),
	    "calls", list(replay, &around), "note",
	    "rr cannot stop at a system call: rr_goto the moment of one, just before it");
	if (answer && (writes->inputs.cut || writes->broken_off))
		json_object_set_new(answer, "warning",
		    json_string("the trace has more system calls than can be looked through"));
	json_decref(next);
	return answer;
}
