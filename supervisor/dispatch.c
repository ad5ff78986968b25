/*
 * See dispatch.h. Everything a client sends passes here, after mcp/ has checked its form.
 */
#include "supervisor/dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/resources.h"
#include "supervisor/status.h"
#include "supervisor/tools.h"

#define OUT_OF_MEMORY "out of memory"

static json_t *session_list(struct dispatch *dispatch)
{
	json_t *list = json_array();
	struct session *session = NULL;
	int64_t now = deadline_now();

	while ((session = session_next(dispatch->table, session)) != NULL)
		if (session->kind == WORKER_REPLAY && !session->closing)
			json_array_append_new(list, dispatch_session_json(session, now));
	return list;
}

json_t *dispatch_session_json(const struct session *session, int64_t now)
{
	json_t *json = json_pack("{s:s, s:s, s:I, s:I}", "session", session->id, "state",
	    session_state_name(session), "age_seconds",
	    (json_int_t)((now - session->created) / DEADLINE_SECOND), "idle_seconds",
	    (json_int_t)((now - session->last_used) / DEADLINE_SECOND));
	static const char *const from_state[] = {"trace_dir", "pid", "moment", NULL};

	for (size_t i = 0; from_state[i] != NULL; i++) {
		json_t *value = json_object_get(session->worker_state, from_state[i]);
		if (value == NULL)
			value = json_object_get(session->open_args, from_state[i]);
		if (value != NULL)
			json_object_set(json, from_state[i], value);
	}
	return json;
}

static struct call *make_call(struct mcp_request *request, size_t tool, json_t *arguments)
{
	struct call *call = calloc(1, sizeof(*call));

	if (call == NULL)
		return NULL;
	call->request = request;
	call->tool = (int)tool;
	call->operation = tools_routed[tool].operation;
	call->args = json_copy(arguments);
	json_object_del(call->args, "session");
	return call;
}

static void free_call(struct call *call)
{
	json_decref(call->args);
	free(call);
}

static void fail_unknown_session(
    struct dispatch *dispatch, struct mcp_request *request, const char *id, const char *code)
{
	json_t *sessions = session_list(dispatch);
	char message[160];
	const char *hint = "rr_replay_start opens one";

	if (strcmp(code, "ambiguous_session") == 0) {
		snprintf(message, sizeof(message), "several sessions are open");
		hint = "name one with the argument session";
	} else if (id != NULL) {
		snprintf(message, sizeof(message), "there is no session %.40s", id);
	} else {
		snprintf(message, sizeof(message), "no session is open");
	}
	if (json_array_size(sessions) > 0)
		hint = "name one of `sessions` with the argument session";
	mcp_request_fail(request, code, message, hint, json_pack("{s:o}", "sessions", sessions));
}

static struct session *choose(
    struct dispatch *dispatch, struct mcp_request *request, const json_t *arguments)
{
	const char *id = json_string_value(json_object_get(arguments, "session"));
	const char *code = "no_session";
	struct session *session = session_choose(dispatch->table, id, &code);

	if (session == NULL)
		fail_unknown_session(dispatch, request, id, code);
	return session;
}

static void call_session(
    struct dispatch *dispatch, struct mcp_request *request, size_t tool, json_t *arguments)
{
	struct session *session = choose(dispatch, request, arguments);
	struct call *call;

	if (session == NULL)
		return;
	call = make_call(request, tool, arguments);
	if (call == NULL) {
		mcp_request_fail(request, "internal", OUT_OF_MEMORY, NULL, NULL);
		return;
	}
	call->seconds = deadline_seconds(dispatch->policy, tools_routed[tool].class, call->args);
	mcp_request_set_data(request, call);
	if (session_call(dispatch->table, session, call))
		return;
	mcp_request_set_data(request, NULL);
	free_call(call);
	mcp_request_fail(request, "limit", "too many calls wait on this session already",
	    "wait for their answers, or rr_interrupt the one that runs", NULL);
}

/* Starts a worker of its own for a call. */
static void call_new(struct dispatch *dispatch, struct mcp_request *request, enum worker_kind kind,
    json_t *open_args, struct call *call)
{
	if (call == NULL) {
		json_decref(open_args);
		mcp_request_fail(request, "internal", OUT_OF_MEMORY, NULL, NULL);
		return;
	}
	call->seconds =
	    deadline_seconds(dispatch->policy, tools_routed[call->tool].class, call->args);
	mcp_request_set_data(request, call);
	if (session_open(dispatch->table, kind, open_args, call) != NULL)
		return;
	mcp_request_set_data(request, NULL);
	free_call(call);
	mcp_request_fail(request, "limit", "too many sessions and recordings at once",
	    "wait for one to end, or rr_replay_stop one", NULL);
}

static void open_session(
    struct dispatch *dispatch, struct mcp_request *request, size_t tool, json_t *arguments)
{
	static const char *const open_keys[] = {"trace_dir", "pid", "fork_pid", "at"};
	unsigned most = (unsigned)policy_number(dispatch->policy, SETTING_SESSIONS);
	json_t *open_args;
	struct call *call;

	if (most != 0 && session_count(dispatch->table, WORKER_REPLAY) >= most) {
		mcp_request_fail(request, "limit",
		    "as many sessions are open as this server allows", "rr_replay_stop one of them",
		    json_pack("{s:o}", "sessions", session_list(dispatch)));
		return;
	}
	open_args = json_object();
	call = make_call(request, tool, arguments);
	for (size_t i = 0; i < sizeof(open_keys) / sizeof(open_keys[0]); i++) {
		json_t *value = json_object_get(arguments, open_keys[i]);
		if (value == NULL)
			continue;
		json_object_set(open_args, open_keys[i], value);
		if (call != NULL)
			json_object_del(call->args, open_keys[i]);
	}
	call_new(dispatch, request, WORKER_REPLAY, open_args, call);
}

static void start_job(struct dispatch *dispatch, struct mcp_request *request, enum worker_kind kind,
    size_t tool, json_t *arguments, bool as_contents)
{
	struct call *call;

	if (session_count(dispatch->table, WORKER_RECORD) +
		session_count(dispatch->table, WORKER_QUERY) >=
	    SESSION_JOBS_MAX) {
		mcp_request_fail(request, "limit", "too many recordings and queries run already",
		    "wait for one to end", NULL);
		return;
	}
	call = make_call(request, tool, arguments);
	if (call != NULL)
		call->as_contents = as_contents;
	call_new(dispatch, request, kind, NULL, call);
}

static void stop_session(
    struct dispatch *dispatch, struct mcp_request *request, size_t tool, json_t *arguments)
{
	struct session *session = choose(dispatch, request, arguments);
	struct call *call = session == NULL ? NULL : make_call(request, tool, arguments);

	if (session == NULL)
		return;
	if (call == NULL) {
		mcp_request_fail(request, "internal", OUT_OF_MEMORY, NULL, NULL);
		return;
	}
	mcp_request_set_data(request, call);
	session_deliver(dispatch->table, session, EVENT_STOP, &(struct event_data){.call = call});
}

static void interrupt_session(
    struct dispatch *dispatch, struct mcp_request *request, json_t *arguments)
{
	struct session *session = choose(dispatch, request, arguments);
	json_t *answer;

	if (session == NULL)
		return;
	answer = json_pack(
	    "{s:s, s:b}", "session", session->id, "interrupted", (int)session_is_running(session));
	if (session_is_running(session) && session->calls != NULL)
		json_object_set_new(
		    answer, "command", json_string(tools_shown[session->calls->tool].name));
	session_deliver(dispatch->table, session, EVENT_INTERRUPT, &(struct event_data){0});
	mcp_request_answer(request, answer);
}

/* A trace may be named by its path or, in the default directory, by its name alone. */
static bool is_same_trace(const char *left, const char *right)
{
	const char *left_name = strrchr(left, '/'), *right_name = strrchr(right, '/');

	if (left_name && right_name)
		return strcmp(left, right) == 0;
	return strcmp(left_name ? left_name + 1 : left, right_name ? right_name + 1 : right) == 0;
}

/* rr maps files of the trace as it goes: a replay does not survive its removal. */
static bool is_unused(
    struct dispatch *dispatch, struct mcp_request *request, const json_t *arguments)
{
	const char *trace = json_string_value(json_object_get(arguments, "trace_dir"));
	struct session *session = NULL;
	char message[96];

	while (trace != NULL && (session = session_next(dispatch->table, session)) != NULL) {
		const char *open = session_trace(session);
		if (session->closing || open == NULL || !is_same_trace(open, trace))
			continue;
		snprintf(message, sizeof(message), "session %s replays this trace", session->id);
		mcp_request_fail(request, "not_allowed", message, "rr_replay_stop it first", NULL);
		return false;
	}
	return true;
}

static bool is_permitted(
    struct dispatch *dispatch, struct mcp_request *request, size_t tool, const json_t *arguments)
{
	int needed = tools_routed[tool].permission;
	const struct setting_row *row;
	char message[160], hint[200];

	if (needed < 0 && json_is_true(json_object_get(arguments, "allow_calls")))
		needed = SETTING_CALLS;
	if (needed < 0 || policy_number(dispatch->policy, (enum setting)needed) != 0)
		return true;
	row = &setting_rows[needed];
	snprintf(message, sizeof(message), "%s is off in this server ([%s] %s)",
	    needed == SETTING_CALLS ? "calling functions of the program" : tools_shown[tool].name,
	    row->section, row->key);
	snprintf(hint, sizeof(hint),
	    policy_has_ceiling(dispatch->policy)
		? "the administrator sets this in " POLICY_FILE
		: "the person who runs the server can start it with --%s",
	    row->flag);
	mcp_request_fail(request, "not_allowed", message, hint, NULL);
	return false;
}

/* Neither a session named nor one open: the newest trace, as rr_replay_start takes it. */
static bool asks_for_new(struct dispatch *dispatch, const json_t *arguments)
{
	return json_object_get(arguments, "trace_dir") != NULL ||
	       (json_object_get(arguments, "session") == NULL &&
		   session_count(dispatch->table, WORKER_REPLAY) == 0);
}

void dispatch_call_tool(void *owner, struct mcp_request *request, size_t tool, json_t *arguments)
{
	struct dispatch *dispatch = owner;

	if (!is_permitted(dispatch, request, tool, arguments) ||
	    (tool == TOOL_RM && !is_unused(dispatch, request, arguments)))
		return;
	switch (tools_routed[tool].handling) {
	case HANDLE_EITHER:
		if (asks_for_new(dispatch, arguments))
			open_session(dispatch, request, tool, arguments);
		else
			call_session(dispatch, request, tool, arguments);
		break;
	case HANDLE_SESSION:
		call_session(dispatch, request, tool, arguments);
		break;
	case HANDLE_OPEN:
		open_session(dispatch, request, tool, arguments);
		break;
	case HANDLE_RECORD:
		start_job(dispatch, request, WORKER_RECORD, tool, arguments, false);
		break;
	case HANDLE_QUERY:
		start_job(dispatch, request, WORKER_QUERY, tool, arguments, false);
		break;
	case HANDLE_STOP:
		stop_session(dispatch, request, tool, arguments);
		break;
	case HANDLE_SESSIONS:
		mcp_request_answer(request, json_pack("{s:o}", "sessions", session_list(dispatch)));
		break;
	case HANDLE_INTERRUPT:
		interrupt_session(dispatch, request, arguments);
		break;
	}
}

void dispatch_cancel(void *owner, struct mcp_request *request)
{
	struct dispatch *dispatch = owner;
	struct call *call = mcp_request_data(request);

	if (call == NULL)
		return;
	session_deliver(
	    dispatch->table, call->session, EVENT_CANCEL, &(struct event_data){.call = call});
}

void dispatch_progress(struct call *call, double progress, double total, const char *message)
{
	if (call->request != NULL && !call->as_contents)
		mcp_request_progress(call->request, progress, total, message);
}

static void remember_traces(struct dispatch *dispatch, const json_t *result)
{
	json_t *recordings = json_object_get(result, "recordings"), *recording;
	size_t i;

	json_decref(dispatch->trace_names);
	dispatch->trace_names = json_array();
	json_array_foreach(recordings, i, recording)
	{
		json_t *path = json_object_get(recording, "trace_dir");
		if (json_is_string(path) && i < DISPATCH_COMPLETIONS_MAX)
			json_array_append(dispatch->trace_names, path);
	}
}

static void answer_result(
    struct dispatch *dispatch, struct session *session, const struct call *call, json_t *result)
{
	struct mcp_request *request = call->request;

	if (call->tool == TOOL_LIST_RECORDINGS)
		remember_traces(dispatch, result);
	if (call->as_contents) {
		char *text = json_dumps(result, JSON_INDENT(1));
		json_decref(result);
		mcp_request_contents(request, "application/json", text == NULL ? "{}" : text);
		free(text);
		return;
	}
	if (session->kind == WORKER_REPLAY)
		json_object_set_new(result, "session", json_string(session->id));
	if (call->tool == TOOL_STATUS)
		status_complete(result, dispatch->policy, session, session_list(dispatch));
	mcp_request_answer(request, result);
}

static void answer_error(struct session *session, const struct call *call, struct outcome *outcome)
{
	json_t *extra = outcome->extra == NULL ? json_object() : outcome->extra;

	if (session->kind == WORKER_REPLAY && session->opened) {
		json_object_set_new(extra, "session", json_string(session->id));
		json_object_set_new(extra, "session_alive", json_boolean(outcome->alive));
	}
	mcp_request_fail(call->request, outcome->code, outcome->message,
	    outcome->hint != NULL && outcome->hint[0] != 0 ? outcome->hint : NULL, extra);
}

void dispatch_answer(
    struct dispatch *dispatch, struct session *session, struct call *call, struct outcome *outcome)
{
	if (call->request == NULL) {
		json_decref(outcome->result);
		json_decref(outcome->extra);
	} else {
		mcp_request_set_data(call->request, NULL);
		if (outcome->result != NULL)
			answer_result(dispatch, session, call, outcome->result);
		else
			answer_error(session, call, outcome);
	}
	free_call(call);
}

void dispatch_read_resource(void *owner, struct mcp_request *request, const char *uri)
{
	struct dispatch *dispatch = owner;
	enum resource_kind kind;
	char name[RESOURCE_NAME_MAX];
	json_t *arguments;
	struct session *session;
	const char *code;
	char *text;

	kind = resources_parse(uri, name, sizeof(name));
	switch (kind) {
	case RESOURCE_GUIDE:
		mcp_request_contents(request, "text/markdown", resources_guide);
		break;
	case RESOURCE_TRACES:
	case RESOURCE_TRACE:
		arguments = json_object();
		if (kind == RESOURCE_TRACE)
			json_object_set_new(arguments, "trace_dir", json_string(name));
		start_job(dispatch, request, WORKER_QUERY,
		    kind == RESOURCE_TRACE ? TOOL_TRACEINFO : TOOL_LIST_RECORDINGS, arguments,
		    true);
		json_decref(arguments);
		break;
	case RESOURCE_SESSION:
		session = session_choose(dispatch->table, name, &code);
		if (session == NULL) {
			mcp_request_fail(request, "not_found", "no such session", NULL, NULL);
			break;
		}
		arguments = dispatch_session_json(session, deadline_now());
		if (session->worker_state != NULL)
			json_object_update_missing(arguments, session->worker_state);
		text = json_dumps(arguments, JSON_INDENT(1));
		mcp_request_contents(request, "application/json", text == NULL ? "{}" : text);
		free(text);
		json_decref(arguments);
		break;
	case RESOURCE_UNKNOWN:
		mcp_request_fail(request, "not_found", "no such resource", NULL, NULL);
		break;
	}
}

json_t *dispatch_complete(
    void *owner, const char *reference, const char *argument, const char *value)
{
	struct dispatch *dispatch = owner;
	bool sessions = strcmp(argument, "id") == 0 || strcmp(argument, "session") == 0;
	json_t *candidates = json_array(), *values = json_array(), *candidate;
	struct session *session = NULL;
	size_t i;

	(void)reference;
	while (sessions && (session = session_next(dispatch->table, session)) != NULL)
		if (session->kind == WORKER_REPLAY)
			json_array_append_new(candidates, json_string(session->id));
	if (strcmp(argument, "name") == 0 || strcmp(argument, "trace_dir") == 0)
		json_array_extend(candidates, dispatch->trace_names);
	json_array_foreach(candidates, i, candidate)
	{
		const char *text = json_string_value(candidate);
		if (strcmp(argument, "name") == 0 && strrchr(text, '/') != NULL)
			text = strrchr(text, '/') + 1;
		if (strncmp(text, value, strlen(value)) == 0 &&
		    json_array_size(values) < DISPATCH_COMPLETIONS_MAX)
			json_array_append_new(values, json_string(text));
	}
	json_decref(candidates);
	return values;
}
