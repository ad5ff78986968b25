/*
 * Requests in flight, their progress and their answers. Must never send a byte for a request that
 * was answered or cancelled, nor progress that does not rise.
 */
#include "mcp/request.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mcp/apps.h"
#include "mcp/lists.h"
#include "mcp/tasks.h"
#include "mcp/text.h"

#define DOUBLE_INTEGER_MAX 9007199254740992.0 /* 2^53 */
#define ERROR_TEXT_MAX	   (48u << 10)

int64_t request_time(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct mcp_request *request_find(const struct mcp_server *server, const json_t *id)
{
	for (struct mcp_request *request = server->requests; request; request = request->next)
		if (json_equal(request->id, id))
			return request;
	return NULL;
}

static json_t *progress_token(const struct mcp_incoming *incoming)
{
	json_t *token =
	    json_object_get(json_object_get(incoming->params, "_meta"), "progressToken");
	return json_is_string(token) || json_is_integer(token) ? json_incref(token) : NULL;
}

/* Steals text and structure. */
static json_t *tool_result(
    const struct mcp_server *server, json_t *text, json_t *structured, bool is_error)
{
	json_t *result = json_pack("{s:[{s:s, s:o}], s:o, s:b}", "content", "type", "text", "text",
	    text, "structuredContent", structured, "isError", is_error);

	if (server->handler->text_only)
		json_object_del(result, "structuredContent");
	return result;
}

static void refuse_another(const struct mcp_incoming *incoming, enum mcp_request_kind kind)
{
	static const char message[] = "64 requests are in flight: wait for their answers";

	if (kind == MCP_CALL_TOOL)
		connection_result(
		    incoming, tool_result(incoming->server, json_string(message),
				  json_pack("{s:s, s:s, s:s}", "code",
				      incoming->server->handler->codes.limit, "message", message,
				      "hint", "Send fewer calls at once, or cancel some."),
				  true));
	else
		connection_error(incoming, RPC_INTERNAL_ERROR, message, NULL);
}

struct mcp_request *request_begin(const struct mcp_incoming *incoming, enum mcp_request_kind kind)
{
	struct mcp_server *server = incoming->server;

	if (request_find(server, incoming->id)) {
		connection_error(incoming, RPC_INVALID_REQUEST,
		    "Invalid request: a request with this id is in flight", NULL);
		return NULL;
	}
	if (server->in_flight >= MCP_IN_FLIGHT_MAX) {
		refuse_another(incoming, kind);
		return NULL;
	}
	struct mcp_request *request = calloc(1, sizeof(*request));
	if (!request) {
		connection_error(incoming, RPC_INTERNAL_ERROR, "Out of memory", NULL);
		return NULL;
	}
	request->server = server;
	request->kind = kind;
	request->revision = incoming->revision;
	request->id = json_incref((json_t *)incoming->id);
	request->token = progress_token(incoming);
	if (incoming->revision == MCP_REVISION_2026) {
		request->capabilities =
		    json_incref(json_object_get(json_object_get(incoming->params, "_meta"),
			"io.modelcontextprotocol/clientCapabilities"));
		request->responses =
		    json_incref(json_object_get(incoming->params, "inputResponses"));
	}
	request->begun = request_time(CLOCK_MONOTONIC);
	request->shows_app = kind == MCP_CALL_TOOL && apps_are_shown(incoming);
	request->takes_tasks = kind == MCP_CALL_TOOL && tasks_are_taken(incoming);
	request->next = server->requests;
	if (request->next)
		request->next->previous = request;
	server->requests = request;
	server->in_flight++;
	return request;
}

/* Removes it from the requests in flight. */
static void request_unlink(struct mcp_request *request)
{
	struct mcp_server *server = request->server;

	*(request->previous ? &request->previous->next : &server->requests) = request->next;
	if (request->next)
		request->next->previous = request->previous;
	server->in_flight--;
}

/* The owner hears of each tool call's end, however it ended. */
static void tell_end(const struct mcp_request *request)
{
	const struct mcp_handler *handler = request->server->handler;

	if (handler->ended && request->kind == MCP_CALL_TOOL)
		handler->ended(handler->owner, request->tool,
		    request->cancelled ? handler->codes.cancelled : request->failure, request->why,
		    request_time(CLOCK_MONOTONIC) - request->begun);
}

static void request_end(struct mcp_request *request)
{
	tell_end(request);
	if (!request->task)
		request_unlink(request);
	json_decref(request->id);
	json_decref(request->token);
	json_decref(request->arguments);
	json_decref(request->uri);
	json_decref(request->capabilities);
	json_decref(request->responses);
	json_decref(request->attached);
	free(request);
}

void request_drop(struct mcp_request *request)
{
	const struct mcp_handler *handler = request->server->handler;

	request->cancelled = true;
	if (handler->cancel && request->kind != MCP_LISTEN)
		handler->cancel(handler->owner, request);
	request_end(request);
}

void request_cancel(struct mcp_server *server, const json_t *params)
{
	struct mcp_request *request = request_find(server, json_object_get(params, "requestId"));
	if (request)
		request_drop(request);
}

void request_cancel_all(struct mcp_server *server)
{
	while (server->requests)
		request_drop(server->requests);
}

void mcp_request_set_data(struct mcp_request *request, void *data)
{
	request->data = data;
}

void *mcp_request_data(const struct mcp_request *request)
{
	return request->data;
}

bool mcp_request_shows_app(const struct mcp_request *request)
{
	return request->shows_app && request->server->handler->tools[request->tool].app != NULL;
}

void mcp_request_attach(struct mcp_request *request, const char *name, json_t *value)
{
	if (!request->attached)
		request->attached = json_object();
	json_object_set_new(request->attached, name, value);
}

void mcp_request_progress(
    struct mcp_request *request, double progress, double total, const char *message)
{
	double last = request->has_pending ? request->pending : request->sent;
	bool first = !request->has_pending && !request->has_sent;

	if (request->task && isfinite(progress))
		tasks_note(request->task, progress, total, message);
	if (request->task || !request->token || !isfinite(progress) || (!first && progress <= last))
		return;
	request->has_pending = true;
	request->pending = progress;
	request->pending_total = isfinite(total) ? total : -1;
	int cut = message ? text_cut(message, sizeof(request->pending_message) - 1) : 0;
	memcpy(request->pending_message, message ? message : "", (size_t)cut);
	request->pending_message[cut] = '\0';
}

static json_t *json_of_double(double value)
{
	if (fabs(value) < DOUBLE_INTEGER_MAX && value == trunc(value))
		return json_integer((json_int_t)value);
	return json_real(value);
}

static void request_send_progress(struct mcp_request *request)
{
	json_t *params = json_pack("{s:O, s:o}", "progressToken", request->token, "progress",
	    json_of_double(request->pending));

	if (request->pending_total >= 0)
		json_object_set_new(params, "total", json_of_double(request->pending_total));
	if (request->pending_message[0])
		json_object_set_new(params, "message", text_json(request->pending_message));
	request->sent = request->pending;
	request->has_sent = true;
	request->has_pending = false;
	connection_notify(request->server, "notifications/progress", params);
}

void request_flush_progress(struct mcp_server *server)
{
	/* If the client does not read, progress ticks are dropped first. */
	if (output_queue_size(&server->output) > OUTPUT_HIGH_BYTES)
		return;
	for (struct mcp_request *request = server->requests; request; request = request->next)
		if (request->has_pending)
			request_send_progress(request);
}

static struct mcp_incoming request_as_incoming(const struct mcp_request *request)
{
	return (struct mcp_incoming){
	    .server = request->server, .id = request->id, .revision = request->revision};
}

void mcp_request_answer_result(struct mcp_request *request, json_t *result)
{
	struct mcp_incoming incoming = request_as_incoming(request);

	if (request->cancelled) {
		json_decref(result);
		return;
	}
	if (request->attached)
		json_object_set(result, "_meta", request->attached);
	if (request->revision == MCP_REVISION_2026 && request->kind == MCP_READ_RESOURCE) {
		json_object_set_new(result, "ttlMs", json_integer(0));
		json_object_set_new(result, "cacheScope", json_string("private"));
	}
	if (request->task) {
		connection_add_common_fields(request->server->handler, request->revision, result);
		tasks_complete(request->task, result);
	} else {
		connection_result(&incoming, result);
	}
	request_end(request);
}

void request_answer_task(struct mcp_request *request, json_t *description)
{
	struct mcp_incoming incoming = request_as_incoming(request);

	json_object_set_new(description, "resultType", json_string("task"));
	connection_result(&incoming, description);
	request_unlink(request);
}

void mcp_request_answer_text(struct mcp_request *request, json_t *structured, const char *text)
{
	char *dumped = text ? NULL : json_dumps(structured, JSON_COMPACT | JSON_REAL_PRECISION(15));
	const char *shown = text ? text : dumped;

	if (shown && !request->cancelled)
		lists_add_named(request->server, shown);
	mcp_request_answer_result(request,
	    tool_result(request->server, text_json(shown ? shown : "{}"), structured, false));
	free(dumped);
}

static void append_text(char *text, size_t size, const char *more)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "\n%.*s", text_cut(more, size), more);
	text[text_cut(text, size - 5)] = '\0'; /* a cut may have split a character */
}

/* "key: value" lines of the extra fields, strings as they are, the rest as JSON. */
static void append_extra(char *text, size_t size, json_t *extra)
{
	const char *key;
	json_t *value;

	json_object_foreach(extra, key, value)
	{
		size_t used = strlen(text);
		char *dumped = json_is_string(value)
				   ? NULL
				   : json_dumps(value,
					 JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
		const char *shown = dumped ? dumped : json_string_value(value);
		if (shown)
			snprintf(text + used, size - used, "\n%s: %.*s", key, text_cut(shown, size),
			    shown);
		free(dumped);
	}
	text[text_cut(text, size - 5)] = '\0'; /* a cut may have split a character */
}

static json_t *error_text(
    const char *code, const char *message, const char *hint, json_t *extra, const char *extra_text)
{
	char *text = malloc(ERROR_TEXT_MAX);

	if (!text)
		return json_string(code);
	snprintf(text, ERROR_TEXT_MAX, "%s: %.*s%s%.*s", code,
	    text_cut(message, ERROR_TEXT_MAX / 3), message, hint && *hint ? "\nTry: " : "",
	    hint ? text_cut(hint, ERROR_TEXT_MAX / 3) : 0, hint ? hint : "");
	if (extra_text)
		append_text(text, ERROR_TEXT_MAX, extra_text);
	else
		append_extra(text, ERROR_TEXT_MAX, extra);
	json_t *string = text_json(text);
	free(text);
	return string;
}

static void fail_tool(struct mcp_request *request, const char *code, const char *message,
    const char *hint, json_t *extra, const char *extra_text)
{
	json_t *text = error_text(code, message, hint, extra, extra_text);
	json_t *structured = extra ? json_incref(extra) : json_object();

	lists_add_named(request->server, json_string_value(text));
	json_object_set_new(structured, "code", text_json(code));
	json_object_set_new(structured, "message", text_json(message));
	if (hint && *hint)
		json_object_set_new(structured, "hint", text_json(hint));
	request->failure = code;
	request->why = message;
	mcp_request_answer_result(request, tool_result(request->server, text, structured, true));
}

/* Only tools have isError. For other requests, a protocol error carries everything in its message.
 */
static void fail_with_error(
    struct mcp_request *request, const char *code, const char *message, const char *hint)
{
	const struct mcp_handler *handler = request->server->handler;
	struct mcp_incoming incoming = request_as_incoming(request);
	bool not_found = strcmp(code, handler->codes.not_found) == 0;
	enum rpc_code rpc_code = RPC_INTERNAL_ERROR;
	char text[2048];

	if (not_found && request->kind == MCP_READ_RESOURCE &&
	    request->revision == MCP_REVISION_2025)
		rpc_code = RPC_RESOURCE_NOT_FOUND;
	else if (not_found || strcmp(code, handler->codes.invalid_argument) == 0)
		rpc_code = RPC_INVALID_PARAMS;
	snprintf(text, sizeof(text), "%.*s%s%.*s", text_cut(message, sizeof(text) / 2 - 4), message,
	    hint && *hint ? ". Try: " : "", hint ? text_cut(hint, sizeof(text) / 2 - 8) : 0,
	    hint ? hint : "");
	connection_error(&incoming, rpc_code, text,
	    request->uri ? json_pack("{s:O}", "uri", request->uri) : NULL);
	request_end(request);
}

void mcp_request_fail(struct mcp_request *request, const char *code, const char *message,
    const char *hint, json_t *extra)
{
	mcp_request_fail_text(request, code, message, hint, extra, NULL);
}

void mcp_request_fail_text(struct mcp_request *request, const char *code, const char *message,
    const char *hint, json_t *extra, const char *text)
{
	if (!request->cancelled) {
		if (request->kind == MCP_CALL_TOOL)
			fail_tool(request, code, message, hint, extra, text);
		else
			fail_with_error(request, code, message, hint);
	}
	json_decref(extra);
}

void mcp_request_contents(struct mcp_request *request, const char *mime_type, const char *text)
{
	json_t *result;

	if (request->kind == MCP_READ_RESOURCE)
		result = json_pack("{s:[{s:O, s:s, s:o}]}", "contents", "uri", request->uri,
		    "mimeType", mime_type, "text", text_json(text));
	else
		result = json_pack("{s:[{s:s, s:{s:s, s:o}}]}", "messages", "role", "user",
		    "content", "type", "text", "text", text_json(text));
	if (request->kind == MCP_GET_PROMPT && !request->cancelled)
		lists_add_named(request->server, text);
	if (request->kind == MCP_GET_PROMPT && request->description)
		json_object_set_new(result, "description", json_string(request->description));
	mcp_request_answer_result(request, result);
}
