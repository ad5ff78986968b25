/*
 * See dispatch.h. Everything that a client sends passes through here, after mcp/ has checked its
 * form.
 */
#include "supervisor/dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/log.h"
#include "supervisor/completion.h"
#include "supervisor/deadlines.h"
#include "supervisor/outgoing.h"
#include "supervisor/resources.h"
#include "supervisor/skills.h"
#include "supervisor/tool_list.h"
#include "supervisor/tools.h"
#include "supervisor/app/apps.h"

static const struct failure out_of_memory = {
    .code = ERROR_INTERNAL, .message = "out of memory", .hint = "try again later"};

static const struct failure too_many_calls = {.code = ERROR_LIMIT,
    .message = "too many calls are waiting for this session",
    .hint = "wait for their answers, or call rr_interrupt to stop the running one"};

static const struct failure no_slot = {.code = ERROR_LIMIT,
    .message = "too many sessions and recordings at once",
    .hint = "wait until one ends, or close a session with rr_replay_stop"};

static const struct failure too_many_jobs = {.code = ERROR_LIMIT,
    .message = "too many recordings and queries are running",
    .hint = "wait until one ends; rr_record_stop ends one in the background"};

static const struct failure unknown_session = {.code = ERROR_NOT_FOUND,
    .message = "no such session",
    .hint = "rr_sessions lists the open sessions"};

static const struct failure unknown_resource = {.code = ERROR_NOT_FOUND,
    .message = "no such resource",
    .hint = "see resources/list and resources/templates/list"};

/* What a call is about, in a few words: the program that is recorded, or what is searched for. */
static json_t *describe_args(const json_t *args)
{
	static const char *const telling[] = {"expression", "predicate", "location", "pointer",
	    "moment", "text", "trace_dir", "core", "good"};
	const json_t *program = json_array_get(json_object_get(args, "command"), 0);

	if (json_is_string(program))
		return json_incref((json_t *)program);
	for (size_t i = 0; i < sizeof(telling) / sizeof(telling[0]); i++)
		if (json_is_string(json_object_get(args, telling[i])))
			return json_incref(json_object_get(args, telling[i]));
	return NULL;
}

json_t *dispatch_running_list(struct dispatch *dispatch, const struct call *without)
{
	json_t *list = json_array();
	struct session *session = NULL;
	const struct call *call;

	while ((call = session_next_running(dispatch->table, &session)) != NULL) {
		if (call == without || call->background)
			continue;
		json_t *about = describe_args(call->args);
		const char *name = session_name(session);
		json_array_append_new(
		    list, json_pack("{s:s, s:I, s:o*, s:s*}", "tool", tools_shown[call->tool].name,
			      "seconds", (json_int_t)session_call_seconds(call), "about", about,
			      "session", name));
	}
	return list;
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
	call->wants_page = mcp_request_shows_app(request);
	return call;
}

struct call *dispatch_call(
    struct dispatch *dispatch, struct mcp_request *request, size_t tool, json_t *arguments)
{
	struct call *call = make_call(request, tool, arguments);

	if (call == NULL)
		outgoing_fail(dispatch, request, &out_of_memory);
	else
		mcp_request_set_data(request, call);
	return call;
}

static void free_call(struct call *call)
{
	json_decref(call->args);
	page_free(&call->page);
	free(call);
}

/* Lets the user choose among the open sessions; false if the client cannot do that. */
static bool ask_for_session(
    struct dispatch *dispatch, struct mcp_request *request, const json_t *sessions)
{
	json_t *choices = json_array(), *session;
	size_t i;

	json_array_foreach(sessions, i, session)
	{
		const char *id = json_string_value(json_object_get(session, "session"));
		const char *trace = json_string_value(json_object_get(session, "trace_dir"));
		if (trace == NULL)
			trace = json_string_value(json_object_get(session, "core"));
		json_array_append_new(choices,
		    json_pack("{s:s, s:o}", "const", id, "title",
			json_sprintf("%s: %s, idle for %d s", id, trace ? trace : "a trace",
			    (int)json_integer_value(json_object_get(session, "idle_seconds")))));
	}
	outgoing_clean(dispatch, choices);
	return mcp_request_ask(request, "session",
	    "Several sessions are open. Which one shall this call use?", choices);
}

static void fail_unknown_session(
    struct dispatch *dispatch, struct mcp_request *request, const char *id, enum error_code code)
{
	json_t *sessions = dispatch_session_list(dispatch);
	const char *hint = json_array_size(sessions) > 0
			       ? "choose one of `sessions` with the argument session"
			       : "rr_replay_start opens one";
	struct failure failure;

	if (code == ERROR_AMBIGUOUS_SESSION && ask_for_session(dispatch, request, sessions)) {
		json_decref(sessions);
		return;
	}
	failure = (struct failure){.details = json_pack("{s:o}", "sessions", sessions)};
	if (code == ERROR_AMBIGUOUS_SESSION)
		failure_set(&failure, code, hint, "several sessions are open");
	else if (id != NULL)
		failure_set(&failure, code, hint, "there is no session %.40s", id);
	else
		failure_set(&failure, code, hint, "no session is open");
	outgoing_fail(dispatch, request, &failure);
}

static struct session *choose(
    struct dispatch *dispatch, struct mcp_request *request, const json_t *arguments)
{
	const char *id = json_string_value(json_object_get(arguments, "session"));
	enum error_code code;
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
		outgoing_fail(dispatch, request, &out_of_memory);
		return;
	}
	call->seconds = deadline_seconds(dispatch->settings, tools_routed[tool].class, call->args);
	mcp_request_set_data(request, call);
	if (session_add_call(session, call))
		return;
	mcp_request_set_data(request, NULL);
	free_call(call);
	outgoing_fail(dispatch, request, &too_many_calls);
}

/* Starts a worker of its own for a call. */
static void call_new(struct dispatch *dispatch, struct mcp_request *request, enum worker_kind kind,
    json_t *open_args, struct call *call)
{
	if (call == NULL) {
		json_decref(open_args);
		outgoing_fail(dispatch, request, &out_of_memory);
		return;
	}
	call->seconds =
	    deadline_seconds(dispatch->settings, tools_routed[call->tool].class, call->args);
	mcp_request_set_data(request, call);
	if (session_open(dispatch->table, kind, open_args, call) != NULL)
		return;
	mcp_request_set_data(request, NULL);
	free_call(call);
	outgoing_fail(dispatch, request, &no_slot);
}

/* Room for another session: false after a failure. */
static bool make_room(
    struct dispatch *dispatch, struct mcp_request *request, char *closed, size_t size)
{
	unsigned most = (unsigned)settings_number(dispatch->settings, SETTING_SESSIONS);
	struct failure failure = {0};

	if (most == 0 || session_count(dispatch->table, WORKER_REPLAY) < most ||
	    session_close_idle(dispatch->table, closed, size))
		return true;
	failure.details = json_pack("{s:o}", "sessions", dispatch_session_list(dispatch));
	failure_set(&failure, ERROR_LIMIT,
	    "wait for their calls, or close one of them with rr_replay_stop",
	    "the server's limit on open sessions is reached, and all of them are working");
	outgoing_fail(dispatch, request, &failure);
	return false;
}

/* The arguments of rr_replay_start, or of rr_core_open, open the session, whatever the tool. */
static json_t *take_open_args(size_t tool, json_t *arguments, json_t *rest)
{
	bool core = json_object_get(arguments, "core") != NULL;
	json_t *open_args = json_object();

	for (const struct mcp_param *param =
		 tools_shown[core ? TOOL_CORE_OPEN : TOOL_REPLAY_START].params;
	     param->name != NULL; param++) {
		json_t *value = json_object_get(arguments, param->name);
		if (value == NULL)
			continue;
		json_object_set(open_args, param->name, value);
		json_object_del(rest, param->name);
	}
	/* The process that crashed may not be the first one, which may only have started it. */
	if (!core && tool != TOOL_REPLAY_START && json_object_get(arguments, "pid") == NULL)
		json_object_set_new(open_args, "worst", json_true());
	return open_args;
}

/* Asked again about the same trace, a tool finds the session that it opened. Not about the same
 * core file: the next crash replaces it. */
static bool reuse_session(struct dispatch *dispatch, struct mcp_request *request, size_t tool,
    const json_t *open_args, json_t *rest)
{
	struct session *session =
	    tool == TOOL_REPLAY_START || json_object_get(open_args, "trace_dir") == NULL
		? NULL
		: session_find_opened(dispatch->table, open_args);
	json_auto_t *arguments = json_copy(rest);

	if (session == NULL)
		return false;
	json_object_set_new(arguments, "session", json_string(session_name(session)));
	if (tool == TOOL_CRASH_REPORT)
		json_object_update_missing_new(arguments, json_pack("{s:b}", "move", 1));
	call_session(dispatch, request, tool, arguments);
	return true;
}

static void open_session(
    struct dispatch *dispatch, struct mcp_request *request, size_t tool, json_t *arguments)
{
	json_auto_t *rest = json_copy(arguments);
	json_t *open_args = take_open_args(tool, arguments, rest);
	char closed[sizeof(((struct call *)NULL)->closed)] = "";
	struct call *call;

	if (reuse_session(dispatch, request, tool, open_args, rest) ||
	    !make_room(dispatch, request, closed, sizeof(closed))) {
		json_decref(open_args);
		return;
	}
	call = make_call(request, tool, rest);
	if (call != NULL)
		strlcpy(call->closed, closed, sizeof(call->closed));
	call_new(dispatch, request, WORKER_REPLAY, open_args, call);
}

static void start_job(struct dispatch *dispatch, struct mcp_request *request, enum worker_kind kind,
    size_t tool, json_t *arguments, bool as_contents)
{
	bool background = json_is_true(json_object_get(arguments, "background"));
	struct call *call;

	if (session_count_jobs(dispatch->table) >=
	    (background ? SESSION_BACKGROUND_MAX : SESSION_JOBS_MAX)) {
		outgoing_fail(dispatch, request, &too_many_jobs);
		return;
	}
	call = make_call(request, tool, arguments);
	if (call != NULL)
		call->as_contents = as_contents;
	call_new(dispatch, request, kind, NULL, call);
}

void handle_stop(struct dispatch *dispatch, struct mcp_request *request, json_t *arguments)
{
	struct session *session = choose(dispatch, request, arguments);
	struct call *call =
	    session == NULL ? NULL : dispatch_call(dispatch, request, TOOL_REPLAY_STOP, arguments);

	if (call != NULL)
		session_stop(session, call);
}

void handle_interrupt(struct dispatch *dispatch, struct mcp_request *request, json_t *arguments)
{
	struct session *session = choose(dispatch, request, arguments);
	const struct call *running;
	json_t *answer;

	if (session == NULL)
		return;
	running = session_running(session);
	answer = json_pack("{s:s}", "session", session_name(session));
	/* Whether it stops, or has ended by itself before, is not known yet. */
	if (running != NULL)
		json_object_set_new(answer, "conclusion",
		    json_sprintf("%s was asked to stop; its own answer says where it stopped",
			tools_shown[running->tool].name));
	else
		json_object_set_new(
		    answer, "conclusion", json_string("no command is running in this session"));
	session_interrupt(session);
	outgoing_give(dispatch, request, TOOL_INTERRUPT, answer);
}

void handle_sessions(struct dispatch *dispatch, struct mcp_request *request, json_t *arguments)
{
	(void)arguments;
	outgoing_give(dispatch, request, TOOL_SESSIONS,
	    json_pack("{s:o}", "sessions", dispatch_session_list(dispatch)));
}

static bool is_permitted(
    struct dispatch *dispatch, struct mcp_request *request, size_t tool, const json_t *arguments)
{
	const struct tool_need *need = &tools_routed[tool].need;
	const struct setting_row *row = &setting_rows[need->setting];
	struct failure failure = {0};

	if (!need->is_needed || settings_number(dispatch->settings, need->setting) != 0 ||
	    (need->flag != NULL && !json_is_true(json_object_get(arguments, need->flag))))
		return true;
	failure_set(&failure, ERROR_NOT_ALLOWED, NULL,
	    "%s is switched off in this server ([%s] %s)",
	    need->what != NULL ? need->what : tools_shown[tool].name, row->section, row->key);
	snprintf(failure.hint, sizeof(failure.hint),
	    settings_has_ceiling(dispatch->settings)
		? "the administrator sets this in " SETTINGS_FILE
		: "start the server with --%s to switch it on",
	    row->flag);
	outgoing_fail(dispatch, request, &failure);
	return false;
}

/* The call names no session and none is open: take the newest trace, as rr_replay_start does. */
static bool asks_for_new(struct dispatch *dispatch, const json_t *arguments)
{
	return json_object_get(arguments, "trace_dir") != NULL ||
	       json_object_get(arguments, "core") != NULL ||
	       (json_object_get(arguments, "session") == NULL &&
		   session_count(dispatch->table, WORKER_REPLAY) == 0);
}

static void call_tool(void *owner, struct mcp_request *request, size_t tool, json_t *arguments)
{
	const struct tool_route *route = &tools_routed[tool];
	struct dispatch *dispatch = owner;

	if (!is_permitted(dispatch, request, tool, arguments) ||
	    (route->before != NULL && !route->before(dispatch, request, arguments)))
		return;
	switch (route->handler) {
	case HANDLER_EITHER:
		if (asks_for_new(dispatch, arguments))
			open_session(dispatch, request, tool, arguments);
		else
			call_session(dispatch, request, tool, arguments);
		break;
	case HANDLER_SESSION:
		call_session(dispatch, request, tool, arguments);
		break;
	case HANDLER_OPEN:
		open_session(dispatch, request, tool, arguments);
		break;
	case HANDLER_RECORD:
		start_job(dispatch, request, WORKER_RECORD, tool, arguments, false);
		break;
	case HANDLER_QUERY:
		start_job(dispatch, request, WORKER_QUERY, tool, arguments, false);
		break;
	case HANDLER_COMPARE:
		start_job(dispatch, request, WORKER_COMPARE, tool, arguments, false);
		break;
	case HANDLER_HERE:
		route->handle(dispatch, request, arguments);
		break;
	}
}

static void cancel(void *owner, struct mcp_request *request)
{
	struct call *call = mcp_request_data(request);

	(void)owner;
	if (call != NULL)
		session_cancel(call);
}

void dispatch_progress(
    void *owner, const struct call *call, double progress, double total, const char *message)
{
	if (call->request != NULL && !call->as_contents)
		outgoing_progress(owner, call->request, progress, total, message);
}

/* With a single open session, an answer needs no name, except that of the call that opened it. */
static bool says_session(struct dispatch *dispatch, const struct call *call)
{
	return session_count(dispatch->table, WORKER_REPLAY) > 1 ||
	       tools_routed[call->tool].handler != HANDLER_SESSION;
}

static void answer_result(struct dispatch *dispatch, const struct session *session,
    const struct call *call, json_t *result)
{
	struct mcp_request *request = call->request;
	hook_after *after = tools_routed[call->tool].after;

	if (after != NULL)
		after(dispatch, session, call, result);
	if (call->as_contents) {
		outgoing_contents(dispatch, request, result);
		return;
	}
	if (session_name(session) != NULL && says_session(dispatch, call))
		json_object_set_new(result, "session", json_string(session_name(session)));
	if (call->closed[0] != '\0')
		json_object_set_new(result, "closed_session", json_string(call->closed));
	outgoing_page(dispatch, request, &call->page);
	outgoing_give_about(dispatch, request, (size_t)call->tool, result,
	    json_string_value(json_object_get(call->args, "expression")));
}

static void answer_failure(struct dispatch *dispatch, const struct session *session,
    const struct call *call, struct outcome *outcome)
{
	struct failure *failure = &outcome->failure;

	if (session_name(session) != NULL && session_has_opened(session)) {
		if (failure->details == NULL)
			failure->details = json_object();
		json_object_set_new(
		    failure->details, "session", json_string(session_name(session)));
		json_object_set_new(
		    failure->details, "session_alive", json_boolean(outcome->alive));
	}
	outgoing_fail(dispatch, call->request, failure);
}

void dispatch_answer(
    void *owner, const struct session *session, struct call *call, struct outcome *outcome)
{
	struct dispatch *dispatch = owner;

	if (call->request == NULL) {
		json_decref(outcome->result);
		json_decref(outcome->failure.details);
	} else {
		mcp_request_set_data(call->request, NULL);
		if (outcome->result != NULL)
			answer_result(dispatch, session, call, outcome->result);
		else
			answer_failure(dispatch, session, call, outcome);
	}
	free_call(call);
}

static void read_resource(void *owner, struct mcp_request *request, const char *uri)
{
	struct dispatch *dispatch = owner;
	enum resource_kind kind;
	char name[RESOURCE_NAME_MAX];
	json_t *arguments;
	struct session *session;
	enum error_code code;

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
			outgoing_fail(dispatch, request, &unknown_session);
			break;
		}
		outgoing_contents(dispatch, request, session_describe(session, true));
		break;
	case RESOURCE_UNKNOWN:
		outgoing_fail(dispatch, request, &unknown_resource);
		break;
	}
}

static void log_end(void *owner, size_t tool, const char *failure, const char *why, int64_t ms)
{
	(void)owner;
	log_call("%s: %lld.%03lld s%s%s%s%s", tools_shown[tool].name, (long long)ms / 1000,
	    (long long)ms % 1000, failure ? ", " : "", failure ? failure : "", why ? ": " : "",
	    why ? why : "");
}

void dispatch_handler(struct dispatch *dispatch, struct mcp_handler *handler)
{
	bool some = tool_list_make(dispatch->settings, dispatch->listing);
	int64_t after = deadline_after(0, settings_number(dispatch->settings, SETTING_TASK_AFTER));

	*handler = (struct mcp_handler){
	    .name = "rr-warden",
	    .title = "rr-warden: time-travel debugging",
	    .version = RR_WARDEN_VERSION,
	    .instructions = resources_instructions,
	    .tools = tools_shown,
	    .tool_count = TOOL_COUNT,
	    .listing = some ? dispatch->listing : NULL,
	    .resources = resources_shown,
	    .templates = resources_templates,
	    .resource_count = RESOURCE_COUNT,
	    .template_count = TEMPLATE_COUNT,
	    .prompts = prompts_shown,
	    .prompt_count = PROMPT_COUNT,
	    .skills = skills_shown,
	    .skill_count = skills_count,
	    .apps = apps_shown,
	    .app_count = apps_count,
	    .text_only = settings_number(dispatch->settings, SETTING_ANSWERS) == ANSWERS_PLAIN,
	    .task_after_ms =
		after < DEADLINE_NEVER ? after / (DEADLINE_SECOND / 1000) : MCP_TASK_NEVER,
	    .codes = {failure_name(ERROR_INVALID_ARGUMENT), failure_name(ERROR_NOT_FOUND),
		failure_name(ERROR_LIMIT), failure_name(ERROR_CANCELLED)},
	    .call_tool = call_tool,
	    .cancel = cancel,
	    .ended = log_end,
	    .read_resource = read_resource,
	    .get_prompt = prompts_get_text,
	    .complete = completion_find,
	    .owner = dispatch,
	};
}
