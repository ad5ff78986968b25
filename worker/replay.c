/*
 * The session: made, answered for, ended. Owns rr and gdb; everything that acts on them is in the
 * modules beside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "worker/arguments.h"
#include "worker/breakpoints.h"
#include "worker/launch.h"
#include "worker/mi.h"
#include "worker/position.h"
#include "worker/state.h"
#include "worker/stop.h"
#include "worker/trace.h"

#define PID_MAX_EVER (1 << 22)

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	gdb_free(replay->gdb);
	tool_end(&replay->gdb_tool);
	tool_end(&replay->rr);
	output_free(replay->output);
	json_decref(replay->breakpoints);
	json_decref(replay->checkpoints);
	json_decref(replay->warnings);
	free(replay->trace_dir);
	free(replay->executable);
	free(replay->original);
	free(replay);
}

struct replay *replay_of(struct worker *worker, struct op_reply *reply)
{
	if (!worker->replay)
		op_fail(reply, ERROR_NO_SESSION, "start one with rr_replay_start",
		    "this session is not started");
	return worker->replay;
}

static void end_session(struct worker *worker)
{
	replay_free(worker->replay);
	worker->replay = NULL;
}

/* Between operations the tools are watched too: that one has died is to be known at once. */
static void wait_idle(struct worker *worker)
{
	gdb_pump(worker->replay->gdb, -1);
}

static struct replay *replay_new(struct worker *worker, const char *trace_dir)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return NULL;
	replay->worker = worker;
	replay->rr = replay->gdb_tool = TOOL_NONE;
	replay->trace_dir = strdup(trace_dir);
	replay->output = output_new();
	replay->breakpoints = json_array();
	replay->checkpoints = json_array();
	replay->warnings = json_array();
	replay->next_breakpoint = replay->next_checkpoint = 1;
	replay->thread = 1;
	if (replay->trace_dir && replay->output)
		return replay;
	replay_free(replay);
	return NULL;
}

/* Which process rr has us debug, and from which file on this machine it came. */
static void learn_process(struct replay *replay)
{
	json_t *results = NULL, *group;
	const char *text;

	if (gdb_command(replay->gdb, &results, "-list-thread-groups") == GDB_DONE) {
		group = json_array_get(json_object_get(results, "groups"), 0);
		text = mi_text(group, "pid");
		if (text)
			replay->pid = strtol(text, NULL, 10);
	}
	json_decref(results);
}

static bool go_at(struct replay *replay, json_t *args, struct op_reply *reply)
{
	const char *at = argument_text(args, "at", "start"), *wrong = NULL;
	const json_t *given = json_object_get(args, "at");
	long long event;

	if (json_is_integer(given))
		return position_go_event(replay, json_integer_value(given), reply);
	if (strcmp(at, "start") == 0 || !*at)
		return true;
	if (strcmp(at, "end") == 0)
		return position_go_event(replay, REPLAY_EVENT_FAR, reply);
	event = strtonum(at, 0, 1LL << 53, &wrong);
	if (!wrong)
		return position_go_event(replay, event, reply);
	op_fail(reply, ERROR_INVALID_ARGUMENT, NULL, "at must be start, end or an event number");
	return false;
}

static json_t *answer(struct replay *replay, struct op_reply *reply)
{
	json_t *stop = stop_describe(replay, FORWARD, "start", reply);

	if (!stop)
		return NULL;
	replay->opened = replay->moment;
	json_object_set_new(stop, "pid", json_integer(replay->pid));
	json_object_set_new(stop, "command", json_string(replay->executable));
	json_object_set_new(stop, "pmu", json_string(replay->pmu));
	json_object_set_new(stop, "sandbox", op_sandbox_summary(&replay->worker->config));
	if (json_array_size(replay->warnings))
		json_object_set(stop, "warnings", replay->warnings);
	return stop;
}

static bool wanted_process(
    struct replay *replay, json_t *args, const json_t *restore, struct op_reply *reply)
{
	if (restore) {
		replay->pid = json_integer_value(json_object_get(restore, "asked_pid"));
		replay->fork_pid = json_is_true(json_object_get(restore, "fork_pid"));
		return true;
	}
	replay->fork_pid = argument_flag(args, "fork_pid", false);
	return argument_integer(args, "pid", 0, 0, PID_MAX_EVER, &replay->pid, reply);
}

static bool begin(
    struct replay *replay, json_t *args, const json_t *restore, struct op_reply *reply)
{
	if (!wanted_process(replay, args, restore, reply))
		return false;
	replay->asked_pid = replay->pid;
	if (!launch_tools(replay, reply))
		return false;
	learn_process(replay);
	return restore ? state_restore(replay, restore, reply) : go_at(replay, args, reply);
}

void replay_start(struct worker *worker, json_t *args, struct op_reply *reply)
{
	const json_t *restore = json_object_get(worker->request, "restore");
	const char *name = argument_text(args, "trace_dir", "");
	struct trace trace = {.directory = -1};
	struct replay *replay;

	if (worker->replay) {
		op_fail(reply, ERROR_INTERNAL, NULL, "this worker has a session already");
		return;
	}
	if (json_is_object(restore) && mi_text(restore, "trace_dir"))
		name = mi_text(restore, "trace_dir");
	else
		restore = NULL;
	if (!trace_open(worker, name, true, &trace, reply)) {
		trace_close(&trace);
		return;
	}
	replay = worker->replay = replay_new(worker, trace.path);
	trace_close(&trace);
	if (!replay) {
		op_fail(reply, ERROR_INTERNAL, NULL, "out of memory");
		return;
	}
	worker->end = end_session;
	if (begin(replay, args, restore, reply))
		reply->result = answer(replay, reply);
	if (reply->result) {
		if (restore)
			state_select(replay, restore);
		worker->idle = wait_idle;
		state_send(replay);
	} else {
		/* A session that did not come about leaves nothing to go on with. */
		worker->broken = true;
	}
}
