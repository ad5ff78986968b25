/*
 * Acquires and releases what a session consists of. The other files act on it.
 */
#include "worker/session/launch/parts.h"

#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/session/core.h"
#include "worker/session/images.h"
#include "worker/session/launch/kernel_writes.h"
#include "worker/session/launch/launched.h"
#include "worker/session/relatives.h"
#include "worker/session/replay_inside.h"
#include "worker/session/launch/trace_output.h"
#include "worker/trace/trace.h"

void replay_free(struct replay *replay)
{
	if (!replay)
		return;
	for (int i = 0; i < READERS; i++)
		if (replay->read_before[i].what)
			replay->read_before[i].forget(replay->read_before[i].what);
	gdb_free(replay->gdb);
	launched_free(replay->launched);
	relatives_turn_home(replay);
	images_free(replay->images);
	relatives_free(replay->relatives);
	trace_output_free(replay->trace_output);
	kernel_writes_free(replay->writes);
	live_output_free(replay->output);
	breakpoint_list_free(replay->breakpoints);
	json_decref(replay->checkpoints.entries);
	json_decref(replay->signals);
	json_decref(replay->warnings);
	json_decref(replay->sources.missing);
	json_decref(replay->sources.told);
	core_free(replay->core);
	cleanup_close(&replay->trace);
	files_forget(&replay->sources.files);
	free(replay->trace_dir);
	free(replay->executable);
	free(replay->original);
	free(replay);
}

static struct replay *new_session(struct worker *worker)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return NULL;
	replay->worker = worker;
	replay->trace = -1;
	replay->launched = launched_new();
	replay->output = live_output_new();
	replay->checkpoints.entries = json_array();
	replay->signals = json_object();
	replay->warnings = json_array();
	replay->sources.missing = json_object();
	replay->sources.told = json_object();
	replay->breakpoints = breakpoint_list_new();
	replay->checkpoints.next = replay->selected.number = 1;
	if (replay->launched && replay->output && replay->breakpoints)
		return replay;
	replay_free(replay);
	return NULL;
}

struct replay *replay_new(struct worker *worker, struct trace *trace)
{
	struct replay *replay = new_session(worker);

	if (!replay)
		return NULL;
	replay->trace_dir = strdup(trace->path);
	replay->trace = steal_fd(&trace->directory);
	if (replay->trace_dir)
		return replay;
	replay_free(replay);
	return NULL;
}

struct replay *replay_new_of_core(struct worker *worker, struct core *core)
{
	struct replay *replay = new_session(worker);

	if (replay)
		replay->core = core;
	else
		core_free(core);
	return replay;
}
