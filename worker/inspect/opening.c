/*
 * Opens a session, new or restored, and ends it with its worker.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/serve/confine.h"
#include "worker/serve/handlers.h"
#include "worker/session/launch/leftover_forks.h"
#include "worker/session/core.h"
#include "worker/session/images.h"
#include "worker/session/launch/core_program.h"
#include "worker/session/launch/core_unpack.h"
#include "worker/session/launch/launch.h"
#include "worker/session/launch/parts.h"
#include "worker/inspect/opening.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/moment/position.h"
#include "worker/read/values/printers.h"
#include "worker/moment/signals.h"
#include "worker/moment/state.h"
#include "worker/run/stop.h"
#include "worker/trace/trace.h"
#include "worker/serve/sentence.h"

static void end_session(struct worker *worker)
{
	replay_free(worker->replay);
	worker->replay = NULL;
}

/* Watches the tools between operations too, so that a death is known at once. A new rr also has few
 * processes; the supervisor restores the session for the next call. */
static void wait_idle(struct worker *worker)
{
	if (leftover_forks_are_too_many(worker->replay))
		worker->broken = true;
	else
		gdb_wait(replay_gdb(worker->replay), -1);
}

/* Which process rr debugs, and its file on this machine. */
static void learn_process(struct replay *replay)
{
	json_auto_t *results = NULL;
	const char *text;

	gdb_must(replay_gdb(replay), &results, "-list-thread-groups");
	text = mi_text(json_array_get(json_object_get(results, "groups"), 0), "pid");
	if (text)
		replay_debugs(replay, strtol(text, NULL, 10), replay_is_from_fork(replay));
}

/* Where a session begins: at the start of an image, or at an event. */
struct beginning {
	bool at_start;
	long long event;
};

/* `at` is start, end or an event. The start is the start of the last image, because the images
 * before only led to that program. For a child that is replayed from its fork on, it is the fork.
 */
static bool read_at(const char *text, bool fork_pid, struct beginning *at, struct failure *failure)
{
	const char *wrong = NULL;

	*at = (struct beginning){.event = REPLAY_EVENT_FAR};
	if (!text || strcmp(text, "start") == 0)
		*at =
		    (struct beginning){.at_start = true, .event = fork_pid ? 0 : REPLAY_EVENT_FAR};
	else if (strcmp(text, "end") != 0)
		at->event = strtonum(text, 0, TOOL_EVENT_MAX, &wrong);
	if (wrong)
		failure_set(failure, ERROR_INVALID_ARGUMENT, NULL,
		    "at must be start, end or an event number");
	return !wrong;
}

/* How this machine replays or reads it, and what is wrong with that. */
static json_t *tell_session(struct replay *replay, json_t *stop)
{
	json_t *warnings = json_copy(replay_warnings(replay));

	if (replay_casts_wrongly(replay))
		json_array_append_new(warnings,
		    json_string(
			"this gdb evaluates casts of negative numbers to narrower types "
			"incorrectly ((unsigned char)-32767 is 255 for it, and in C 1), and "
			"negative numbers that overflow in <<: write x & 0xff instead of "
			"(unsigned char)x"));
	json_object_set_new(
	    stop, "sandbox", worker_sandbox_summary(&replay_worker(replay)->config));
	answer_add_list(stop, "warnings", warnings);
	return stop;
}

static json_t *answer(struct replay *replay, struct failure *failure)
{
	json_t *stop = stop_describe(replay, FORWARD, "start", failure);

	if (!stop)
		return NULL;
	replay_opened(replay);
	json_object_set_new(stop, "pid", json_integer(replay_pid(replay)));
	json_object_set_new(stop, "command", json_string(images_program(replay)));
	json_object_set_new(stop, "images", images_json(replay));
	json_object_set_new(stop, "pmu", json_string(replay_pmu(replay)));
	return tell_session(replay, stop);
}

/* The event at which a saved session stood. */
static long long saved_event(const json_t *restore)
{
	if (json_is_true(json_object_get(restore, "at_end")))
		return REPLAY_EVENT_FAR;
	return json_integer_value(json_object_get(json_object_get(restore, "moment"), "event"));
}

static bool begin(struct replay *replay, const struct replay_start_args *args,
    const json_t *restore, struct failure *failure)
{
	struct asked_for asked = {
	    .pid = args->pid, .worst = args->worst, .symbols = json_array_size(args->symbols) > 0};
	bool from_fork = args->fork_pid;
	struct beginning at;

	if (restore) {
		asked.pid = json_integer_value(json_object_get(restore, "asked_pid"));
		from_fork = json_is_true(json_object_get(restore, "fork_pid"));
	}
	if (!read_at(args->at, from_fork, &at, failure))
		return false;
	asked.event = restore ? saved_event(restore) : at.event;
	replay_was_asked(replay, &asked);
	replay_debugs(replay, asked.pid, from_fork);
	if (!launch_tools(replay, failure))
		return false;
	learn_process(replay);
	signals_begin(replay);
	if (restore) {
		printers_load(replay); /* what it watches and asks may need them */
		return state_restore(replay, restore, failure);
	}
	if (at.at_start)
		return true;
	printers_load(replay); /* the frame there may have what only they can show */
	return position_go_event(replay, at.event, failure);
}

static struct replay *open_one(
    struct worker *worker, const char *name, long long pid, struct failure *failure)
{
	struct trace trace = {.directory = -1};
	struct replay *replay = NULL;

	if (trace_open(worker, name, true, &trace, failure)) {
		replay = replay_new(worker, &trace);
		if (!replay)
			failure_no_memory(failure);
	}
	trace_close(&trace);
	if (!replay)
		return NULL;
	replay_debugs(replay, pid, false);
	replay_was_asked(replay, &(struct asked_for){.pid = pid, .event = REPLAY_EVENT_FAR});
	return replay;
}

bool opening_both(struct worker *worker, const char *const names[2], const long long pids[2],
    struct replay *replays[2], struct failure *failure)
{
	for (size_t i = 0; i < 2; i++)
		if (!(replays[i] = open_one(worker, names[i], pids[i], failure)))
			return false;
	if (!launch_both(replays[0], replays[1], failure))
		return false;
	for (size_t i = 0; i < 2; i++) {
		learn_process(replays[i]);
		signals_begin(replays[i]);
		printers_load(replays[i]);
		if (!position_update(replays[i], failure))
			return false;
		replay_opened(replays[i]);
	}
	return true;
}

/* What only the core file tells. */
static void tell_core(struct replay *replay, json_t *stop)
{
	const struct core_file *contents = core_contents(replay_core(replay));

	json_object_set_new(stop, "core", trace_path_to_json(core_path(replay_core(replay))));
	answer_add_count(stop, "pid", replay_pid(replay));
	if (contents->command[0])
		json_object_set_new(stop, "command",
		    scrub_json(
			contents->command, strlen(contents->command), CORE_COMMAND_MAX, NULL));
	if (replay_executable(replay))
		json_object_set_new(stop, "program", trace_path_to_json(replay_executable(replay)));
	if (contents->threads > 1)
		json_object_set_new(stop, "threads", json_integer(contents->threads));
}

static json_t *answer_core(struct replay *replay, struct failure *failure)
{
	const char *signal = mi_text(gdb_last_stop(replay_gdb(replay)), "signal-name");
	json_t *stop = stop_describe(replay, FORWARD, signal ? "signal" : "copied", failure);

	if (!stop)
		return NULL;
	replay_opened(replay);
	tell_core(replay, stop);
	return tell_session(replay, stop);
}

/* The worker has a session from now on. False: out of memory. */
static bool take_session(
    struct worker *worker, struct replay *replay, const json_t *restore, struct failure *failure)
{
	worker->replay = replay;
	if (!replay)
		return failure_no_memory(failure);
	worker->restorable = restore != NULL;
	worker->end = end_session;
	replay_on_change(replay, state_send);
	return true;
}

/* The session is open, unless there is no answer. */
static json_t *opened(struct worker *worker, const json_t *restore, json_t *result)
{
	struct replay *replay = worker->replay;

	if (!result) {
		worker->broken = true;
		return NULL;
	}
	if (restore)
		state_select(replay, restore);
	worker->restorable = true;
	worker->idle = wait_idle;
	printers_load(replay); /* while the client reads the answer */
	if (!replay_core(replay))
		leftover_forks_begin(replay);
	replay_changed(replay);
	return result;
}

/* Another crash may have written another core file of that name since. */
static bool is_the_same(const struct core *core, const json_t *restore, struct failure *failure)
{
	json_auto_t *is = core_identity_json(core);

	if (!restore || json_equal(is, json_object_get(restore, "core_identity")))
		return true;
	failure_set(failure, ERROR_NOT_FOUND, "rr_core_open opens the new one",
	    "%.300s is another file than the one this session was opened on", core_path(core));
	return false;
}

json_t *tool_core_open(
    struct worker *worker, const struct core_open_args *args, struct failure *failure)
{
	const json_t *restore = json_object_get(worker->request, "restore");
	const struct core_asked asked = {args->core, args->program, args->sysroot};
	struct core *core;
	json_t *result = NULL;

	if (worker->replay) {
		failure_set(failure, ERROR_INTERNAL, NULL, "this worker already has a session");
		return NULL;
	}
	core = core_open(worker, args->core, failure);
	if (!core)
		return NULL;
	if (!take_session(worker, replay_new_of_core(worker, core), restore, failure))
		return NULL;
	if (is_the_same(core, restore, failure) && launch_core(worker->replay, &asked, failure))
		result = answer_core(worker->replay, failure);
	return opened(worker, restore, result);
}

/* The monitor has judged the files; of these names it would have heard nothing. */
static bool check_symbols(const json_t *symbols, struct failure *failure)
{
	const json_t *name;
	size_t index;

	json_array_foreach(symbols, index, name)
	{
		size_t length = json_string_length(name);

		if (length > 0 && length < PATH_MAX)
			continue;
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "name each debug file by its path, or leave symbols out",
		    "symbols has a name that is empty or too long for a path");
		return false;
	}
	return true;
}

json_t *tool_replay_start(
    struct worker *worker, const struct replay_start_args *args, struct failure *failure)
{
	const json_t *restore = json_object_get(worker->request, "restore");
	const char *name = args->trace_dir ? args->trace_dir : "";
	struct trace trace = {.directory = -1};
	json_t *result = NULL;
	bool taken;

	if (worker->replay) {
		failure_set(failure, ERROR_INTERNAL, NULL, "this worker already has a session");
		return NULL;
	}
	if (json_is_object(restore) && mi_text(restore, "trace_dir"))
		name = mi_text(restore, "trace_dir");
	else
		restore = NULL;
	taken = check_symbols(args->symbols, failure) &&
		trace_open(worker, name, true, &trace, failure) &&
		take_session(worker, replay_new(worker, &trace), restore, failure);
	trace_close(&trace);
	if (!taken)
		return NULL;
	if (begin(worker->replay, args, restore, failure))
		result = answer(worker->replay, failure);
	return opened(worker, restore, result);
}
