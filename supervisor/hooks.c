/*
 * Exceptions: what the supervisor does before and after the calls of single tools.
 */
#include "supervisor/hooks.h"

#include <stdio.h>
#include <string.h>

#include "supervisor/dispatch.h"
#include "supervisor/outgoing.h"
#include "supervisor/recordings.h"
#include "supervisor/status.h"

bool hook_is_same_trace(const char *left, const char *right)
{
	const char *left_name = strrchr(left, '/'), *right_name = strrchr(right, '/');

	if (left_name && right_name)
		return strcmp(left, right) == 0;
	return strcmp(left_name ? left_name + 1 : left, right_name ? right_name + 1 : right) == 0;
}

/* rr maps files of the trace while it replays, so a replay does not survive the trace's removal. */
bool hook_before_removal(
    struct dispatch *dispatch, struct mcp_request *request, const json_t *arguments)
{
	const char *trace = json_string_value(json_object_get(arguments, "trace_dir"));
	struct session *session = NULL;
	struct failure failure = {0};

	while (trace != NULL && (session = session_next_open(dispatch->table, session)) != NULL) {
		const char *open = session_trace(session);
		if (open == NULL || !hook_is_same_trace(open, trace))
			continue;
		failure_set(&failure, ERROR_NOT_ALLOWED,
		    "close that session with rr_replay_stop first",
		    "session %s is replaying this trace", session_name(session));
		outgoing_fail(dispatch, request, &failure);
		return false;
	}
	while (
	    trace != NULL && (session = session_next_recording(dispatch->table, session)) != NULL) {
		if (!hook_is_same_trace(session_trace(session), trace))
			continue;
		failure_set(&failure, ERROR_NOT_ALLOWED, "end it with rr_record_stop first",
		    "this trace is being recorded");
		outgoing_fail(dispatch, request, &failure);
		return false;
	}
	return true;
}

bool hook_before_core(
    struct dispatch *dispatch, struct mcp_request *request, const json_t *arguments)
{
	static const struct {
		const char *name;
		bool of_core;
	} others[] = {{"trace_dir", false}, {"pid", false}, {"session", false}, {"program", true},
	    {"sysroot", true}};
	const bool core = json_object_get(arguments, "core") != NULL;
	struct failure failure = {0};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (others[i].of_core == core || json_object_get(arguments, others[i].name) == NULL)
			continue;
		failure_set(&failure, ERROR_INVALID_ARGUMENT,
		    core ? "leave one of them out" : "name the core file with core",
		    core ? "core and %s exclude each other: a core file is not a recording"
			 : "%s belongs to a core file, and there is no argument core",
		    others[i].name);
		outgoing_fail(dispatch, request, &failure);
		return false;
	}
	return true;
}

void hook_after_list(struct dispatch *dispatch, const struct session *session,
    const struct call *call, json_t *result)
{
	json_t *recordings = json_object_get(result, "recordings"), *recording;
	size_t i;

	(void)session;
	(void)call;
	json_decref(dispatch->trace_names);
	dispatch->trace_names = json_array();
	json_array_foreach(recordings, i, recording)
	{
		json_t *path = json_object_get(recording, "trace_dir");
		if (json_is_string(path) && i < DISPATCH_COMPLETIONS_MAX)
			json_array_append(dispatch->trace_names, path);
	}
}

json_t *dispatch_session_list(struct dispatch *dispatch)
{
	json_t *list = json_array();
	struct session *session = NULL;

	while ((session = session_next_open(dispatch->table, session)) != NULL)
		json_array_append_new(list, session_describe(session, false));
	return list;
}

void hook_after_status(struct dispatch *dispatch, const struct session *session,
    const struct call *call, json_t *result)
{
	json_t *running = dispatch_running_list(dispatch, call);

	if (json_array_size(running) > 0)
		json_object_set(result, "running", running);
	json_decref(running);
	json_t *recordings = recordings_list(dispatch);
	if (json_array_size(recordings) > 0)
		json_object_set(result, "recordings", recordings);
	json_decref(recordings);
	status_complete(result, dispatch->settings, session, dispatch_session_list(dispatch));
}
