/*
 * Finds the recording in the background that a call means.
 */
#include "supervisor/recordings.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/wire/tools.h"
#include "supervisor/hooks.h"
#include "supervisor/outgoing.h"

static const int end_signals[] = {[END_SIGTERM] = SIGTERM,
    [END_SIGINT] = SIGINT,
    [END_SIGHUP] = SIGHUP,
    [END_SIGQUIT] = SIGQUIT,
    [END_SIGKILL] = SIGKILL};

static int signal_of(const json_t *arguments)
{
	const char *name = json_string_value(json_object_get(arguments, "signal"));

	for (size_t i = 0; name != NULL && choices_end_signal[i] != NULL; i++)
		if (strcmp(choices_end_signal[i], name) == 0)
			return end_signals[i];
	return SIGTERM;
}

static json_t *describe_ended(const json_t *ended)
{
	static const char *const told[] = {"exit_code", "signal", "ended_by"};
	json_t *json =
	    json_pack("{s:O, s:b}", "trace_dir", json_object_get(ended, "trace_dir"), "ended", 1);

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		json_t *value = json_object_get(json_object_get(ended, "result"), told[i]);
		if (value != NULL)
			json_object_set(json, told[i], value);
	}
	if (json_object_get(ended, "failure") != NULL)
		json_object_set(json, "failure", json_object_get(ended, "failure"));
	return json;
}

json_t *recordings_list(struct dispatch *dispatch)
{
	json_t *list = json_array(), *ended;
	struct session *session = NULL;
	size_t i;

	while ((session = session_next_recording(dispatch->table, session)) != NULL)
		json_array_append_new(list, session_describe_recording(session));
	json_array_foreach(session_ended_recordings(dispatch->table), i, ended)
	{
		json_array_append_new(list, describe_ended(ended));
	}
	return list;
}

/* The one that `trace` names, or without it the only one; NULL with the count. */
static struct session *find_running(struct dispatch *dispatch, const char *trace, unsigned *count)
{
	struct session *session = NULL, *found = NULL;

	*count = 0;
	while ((session = session_next_recording(dispatch->table, session)) != NULL) {
		++*count;
		if (trace == NULL || hook_is_same_trace(session_trace(session), trace))
			found = session;
	}
	return trace == NULL && *count > 1 ? NULL : found;
}

/* Its index, -1: none. */
static int find_ended(struct dispatch *dispatch, const char *trace)
{
	json_t *list = session_ended_recordings(dispatch->table), *ended;
	size_t i;

	if (trace == NULL)
		return json_array_size(list) == 1 ? 0 : -1;
	json_array_foreach(list, i, ended)
	{
		const char *its = json_string_value(json_object_get(ended, "trace_dir"));

		if (hook_is_same_trace(its, trace))
			return (int)i;
	}
	return -1;
}

static void fail_unknown(struct dispatch *dispatch, struct mcp_request *request, const char *trace)
{
	json_t *list = recordings_list(dispatch);
	size_t count = json_array_size(list);
	struct failure failure = {0};

	failure_set(&failure, ERROR_NOT_FOUND,
	    count > 0 ? "choose one of `recordings` with trace_dir"
		      : "rr_record with background true starts one",
	    trace == NULL && count > 0 ? "several programs are recorded in the background"
	    : trace == NULL	       ? "no program is recorded in the background"
				       : "no recording in the background makes the trace %.200s",
	    trace);
	failure.details = count > 0 ? json_pack("{s:O}", "recordings", list) : NULL;
	json_decref(list);
	outgoing_fail(dispatch, request, &failure);
}

/* It ended by itself before it was asked to. */
static void give_ended(struct dispatch *dispatch, struct mcp_request *request, int index)
{
	json_t *list = session_ended_recordings(dispatch->table);
	json_t *ended = json_incref(json_array_get(list, (size_t)index));
	json_t *result = json_object_get(ended, "result");
	json_t *failed = json_object_get(ended, "failure");
	struct failure failure = {0};

	json_array_remove(list, (size_t)index);
	if (result != NULL) {
		outgoing_give(dispatch, request, TOOL_RECORD_STOP, json_incref(result));
	} else {
		failure_set(&failure,
		    failure_code(json_string_value(json_object_get(failed, "code"))),
		    json_string_value(json_object_get(failed, "hint")), "%s",
		    json_string_value(json_object_get(failed, "message")));
		failure.details = json_deep_copy(json_object_get(ended, "details"));
		outgoing_fail(dispatch, request, &failure);
	}
	json_decref(ended);
}

void handle_record_stop(struct dispatch *dispatch, struct mcp_request *request, json_t *arguments)
{
	const char *trace = json_string_value(json_object_get(arguments, "trace_dir"));
	unsigned running;
	struct session *session = find_running(dispatch, trace, &running);
	bool may_have_ended = session == NULL && (trace != NULL || running == 0);
	int ended = may_have_ended ? find_ended(dispatch, trace) : -1;
	struct call *call;

	if (session == NULL && ended < 0) {
		fail_unknown(dispatch, request, trace);
	} else if (session == NULL) {
		give_ended(dispatch, request, ended);
	} else {
		call = dispatch_call(dispatch, request, TOOL_RECORD_STOP, arguments);
		if (call != NULL)
			session_end_recording(session, call, signal_of(arguments));
	}
}

void handle_record_input(struct dispatch *dispatch, struct mcp_request *request, json_t *arguments)
{
	const char *trace = json_string_value(json_object_get(arguments, "trace_dir"));
	struct failure failure = {0};
	unsigned running;
	struct session *session = find_running(dispatch, trace, &running);
	struct call *call;
	json_t *json;

	if (session == NULL && running == 0 && find_ended(dispatch, trace) >= 0) {
		failure_set(&failure, ERROR_NOT_FOUND,
		    "rr_record_stop answers how, with what it printed", "the recording has ended");
		outgoing_fail(dispatch, request, &failure);
		return;
	}
	if (session == NULL) {
		fail_unknown(dispatch, request, trace);
		return;
	}
	call = dispatch_call(dispatch, request, TOOL_RECORD_INPUT, arguments);
	if (call == NULL)
		return;
	json = json_copy(arguments);
	json_object_del(json, "trace_dir");
	session_send_aside(session, call, WIRE_RECORD_INPUT, json);
}
