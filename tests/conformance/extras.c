/*
 * See extras.h. Sees the suite's lines only.
 */
#include "tests/conformance/extras.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp/request.h"
#include "tests/conformance/fixtures.h"

#define MISSING_CAPABILITY (-32021)

static const char *const levels[] = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency", NULL};

static int least_level = -1; /* -1: the client wants none */

static int level_of(const char *name)
{
	for (int i = 0; name != NULL && levels[i] != NULL; i++)
		if (strcmp(levels[i], name) == 0)
			return i;
	return -1;
}

static bool send_line(json_t *message)
{
	char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(15));
	bool sent = text != NULL && write(STDOUT_FILENO, text, strlen(text)) > 0 &&
		    write(STDOUT_FILENO, "\n", 1) == 1;

	free(text);
	json_decref(message);
	return sent;
}

static json_t *answer_to(const json_t *request, const char *method)
{
	const json_t *params = json_object_get(request, "params");
	json_t *id = json_object_get(request, "id");
	int level = level_of(json_string_value(json_object_get(params, "level")));

	if (strcmp(method, "logging/setLevel") == 0) {
		if (level < 0)
			return json_pack("{s:s, s:O, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id,
			    "error", "code", -32602, "message", "Invalid params: no such level");
		least_level = level;
	}
	return json_pack("{s:s, s:O, s:{}}", "jsonrpc", "2.0", "id", id, "result");
}

bool extras_answer_line(const char *line, size_t length)
{
	static const char *const methods[] = {
	    "logging/setLevel", "resources/subscribe", "resources/unsubscribe"};
	json_t *request = json_loadb(line, length, 0, NULL);
	const char *method = json_string_value(json_object_get(request, "method"));
	/* A request with metadata of its own is of a revision that has dropped these. */
	bool earlier = json_object_get(json_object_get(json_object_get(request, "params"), "_meta"),
			   "io.modelcontextprotocol/protocolVersion") == NULL;
	bool ours = false;

	for (size_t i = 0; method != NULL && earlier && i < sizeof(methods) / sizeof(*methods); i++)
		ours |= strcmp(methods[i], method) == 0;
	if (ours)
		send_line(answer_to(request, method));
	json_decref(request);
	return ours;
}

static void add_capabilities(const json_t *result)
{
	json_t *capabilities = json_object_get(result, "capabilities");

	/* Only the answer to initialize names the version agreed on. */
	if (capabilities == NULL || json_object_get(result, "protocolVersion") == NULL)
		return;
	json_object_set_new(capabilities, "logging", json_object());
	json_object_set_new(json_object_get(capabilities, "resources"), "subscribe", json_true());
}

static void replace_schema(const json_t *result)
{
	json_t *tool;
	size_t i;

	json_array_foreach(json_object_get(result, "tools"), i, tool)
	{
		const char *name = json_string_value(json_object_get(tool, "name"));
		if (name != NULL && strcmp(name, fixture_tools[FIXTURE_SCHEMA].name) == 0)
			json_object_set_new(
			    tool, "inputSchema", json_loads(fixture_broad_schema, 0, NULL));
	}
}

bool extras_pass_line(const char *line, size_t length)
{
	json_t *message = json_loadb(line, length, 0, NULL);
	const json_t *result = json_object_get(message, "result");

	if (message == NULL)
		abort(); /* the core sent what is no JSON */
	add_capabilities(result);
	replace_schema(result);
	return send_line(message);
}

void extras_log(const char *level, const char *text)
{
	if (least_level >= 0 && level_of(level) >= least_level)
		send_line(json_pack("{s:s, s:s, s:{s:s, s:s}}", "jsonrpc", "2.0", "method",
		    "notifications/message", "params", "level", level, "data", text));
}

void extras_answer_content(struct mcp_request *request, json_t *content)
{
	mcp_request_answer_result(request, json_pack("{s:o}", "content", content));
}

void extras_answer_if_capable(struct mcp_request *request, const char *capability, json_t *content)
{
	struct mcp_incoming incoming = {
	    .server = request->server, .id = request->id, .revision = request->revision};
	json_t *ended;

	if (json_object_get(request->capabilities, capability) != NULL) {
		extras_answer_content(request, content);
		return;
	}
	connection_error(&incoming, (enum rpc_code)MISSING_CAPABILITY,
	    "Missing required client capability",
	    json_pack("{s:{s:{}}}", "requiredCapabilities", capability));
	/* Answered: the core is to forget it, and to say nothing more. */
	ended = json_pack("{s:O}", "requestId", request->id);
	request_cancel(request->server, ended);
	json_decref(ended);
	json_decref(content);
}
