/*
 * See compose.h. Runs in the child that becomes the worker, while it still sees the whole file
 * system: a path that loops, vanishes or blocks ends that child and its call. Must never show a
 * path that neither the settings nor the call names.
 */
#include "supervisor/monitor/compose.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/monitor/broker.h"
#include "supervisor/monitor/core_paths.h"
#include "supervisor/monitor/recording_paths.h"
#include "supervisor/monitor/symbol_paths.h"
#include "supervisor/monitor/tool_paths.h"
#include "supervisor/monitor/trace_paths.h"

/* What an operation needs. An operation that is not listed here sees only the system. */
struct need {
	uint32_t operation;
	enum trace_paths trace;
	bool base;	/* the traces below LAUNCH_BASE, or below the default directory */
	bool new_trace; /* one is made in the default directory */
};

/* A comparison needs both of its traces, and nothing else. */
static const enum launch_name compared[] = {LAUNCH_GOOD, LAUNCH_BAD};

static const struct need needs[] = {
    {WIRE_OP_REPLAY_START, TRACE_PATHS_REPLAY, false, false},
    {WIRE_OP_CRASH_REPORT, TRACE_PATHS_REPLAY, false, false},
    {WIRE_OP_COMPARE_RUNS, TRACE_PATHS_REPLAY, false, false},
    {WIRE_OP_PS, TRACE_PATHS_READ, false, false},
    {WIRE_OP_TRACEINFO, TRACE_PATHS_READ, false, false},
    {WIRE_OP_PACK, TRACE_PATHS_CHANGE, false, false},
    {WIRE_OP_EXPORT, TRACE_PATHS_CHANGE, false, false},
    {WIRE_OP_RM, TRACE_PATHS_REMOVE, false, false},
    {WIRE_OP_IMPORT, TRACE_PATHS_NONE, false, true},
    {WIRE_OP_LIST_RECORDINGS, TRACE_PATHS_NONE, true, false},
};

void compose_begin(struct composition *composition, const struct settings *settings,
    const struct paths *paths, const struct launch_request *request)
{
	const char *name = request->names;

	*composition = (struct composition){.settings = settings,
	    .paths = paths,
	    .kind = (enum worker_kind)request->kind,
	    .operation = request->operation};
	for (int i = 0; i < LAUNCH_NAME_COUNT; i++) {
		composition->names[i] = name;
		name += strlen(name) + 1;
	}
}

static const struct need *need_of(const struct composition *composition)
{
	static const struct need replay = {0, TRACE_PATHS_REPLAY, false, false};

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (needs[i].operation == composition->operation)
			return &needs[i];
	/* any call can restore a session */
	return composition->kind == WORKER_REPLAY ? &replay : NULL;
}

bool compose_changes(const struct composition *composition)
{
	const struct need *need = need_of(composition);

	return need && (need->new_trace || need->trace == TRACE_PATHS_CHANGE ||
			   need->trace == TRACE_PATHS_REMOVE);
}

static void offer_list(
    struct composition *composition, enum visible_list list, enum setting setting)
{
	for (const char *const *item = settings_list(composition->settings, setting); *item; item++)
		visible_paths_offer(&composition->visible, list, *item);
}

/* The worker's folder, which contains the library for rr, and in packages the other libraries. */
static void offer_own_folder(struct composition *composition)
{
	char folder[PATH_MAX];

	strlcpy(folder, composition->paths->worker, sizeof(folder));
	*strrchr(folder, '/') = '\0';
	visible_paths_offer(&composition->visible, VISIBLE_READ, folder);
}

static int add_compared(struct composition *composition, const struct sandbox_policy *policy,
    char *why, size_t why_size)
{
	for (size_t i = 0; i < sizeof(compared) / sizeof(*compared); i++)
		if (trace_paths_add(
			composition, compared[i], TRACE_PATHS_REPLAY, policy, why, why_size) < 0)
			return -1;
	return 0;
}

static int add_needed(struct composition *composition, const struct need *need,
    const struct sandbox_policy *policy, char *why, size_t why_size)
{
	if (composition->operation == WIRE_OP_CORE_OPEN)
		return core_paths_add(composition, policy, why, why_size);
	if (composition->kind == WORKER_COMPARE)
		return add_compared(composition, policy, why, why_size);
	if (need->trace != TRACE_PATHS_NONE &&
	    trace_paths_add(composition, LAUNCH_TRACE, need->trace, policy, why, why_size) < 0)
		return -1;
	if (symbol_paths_add(composition, policy, why, why_size) < 0)
		return -1;
	if (need->base && trace_paths_add_base(composition, why, why_size) < 0)
		return -1;
	if (need->new_trace)
		trace_paths_add_new(composition);
	return 0;
}

int compose_paths(void *owner, struct sandbox_policy *policy, char *why, size_t why_size)
{
	struct composition *composition = owner;
	const struct need *need = need_of(composition);
	struct visible_paths *visible = &composition->visible;
	char here[PATH_MAX];

	offer_own_folder(composition);
	tool_paths_add(composition, SETTING_RR);
	tool_paths_add(composition, SETTING_GDB);
	if (composition->kind == WORKER_RECORD) {
		if (recording_paths_add(composition, policy, why, why_size) < 0)
			return -1;
	} else {
		/* Relative names start here, but the worker sees nothing of it. */
		if (visible_paths_follow(visible, composition->paths->here, false, here) == 0 &&
		    visible_paths_add(visible, VISIBLE_EMPTY, here) == 0)
			policy->directory =
			    visible->lists[VISIBLE_EMPTY][visible->counts[VISIBLE_EMPTY] - 1];
		if (need && add_needed(composition, need, policy, why, why_size) < 0)
			return -1;
	}
	/* The worker compares a trace's directory with these, so they must exist in its view. */
	offer_list(composition, VISIBLE_EMPTY, SETTING_ROOTS);
	visible_paths_apply(visible, policy);
	if (broker_tell(
		composition->broker, composition, policy->covers, composition->broker_end) == 0)
		return 0;
	snprintf(why, why_size, "the process that opens files for the worker could not be started");
	return -1;
}
