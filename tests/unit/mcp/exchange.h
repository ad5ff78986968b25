#ifndef TESTS_MCP_EXCHANGE_H
#define TESTS_MCP_EXCHANGE_H
/*
 * A conversation with the protocol core in memory: lines go in, and tests check the parsed lines
 * that come out. The handler has a tool for each thing that a test needs to provoke.
 */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/server.h"
#include "tests/runner.h"

#define MODERN                                                                                     \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                   \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define CALL(method, rest)                                                                         \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" rest "}}"

enum { TOOL_ECHO, TOOL_HOLD, TOOL_FAIL, TOOL_NONE, TOOL_COUNT };

static const char *const echo_units[] = {"line", "instruction", NULL};
static const struct mcp_param echo_params[] = {
    {"count", MCP_INTEGER, false, "how often", 1, 100, NULL},
    {"ratio", MCP_NUMBER, false, "a ratio", 0, 0, NULL},
    {"reverse", MCP_BOOLEAN, false, "backwards", 0, 0, NULL},
    {"location", MCP_STRING, false, "where", 0, 40, NULL},
    {"unit", MCP_STRING, false, "of what", 0, 0, echo_units},
    {"command", MCP_STRING_ARRAY, false, "what", 0, 3, NULL},
    {"files", MCP_STRING_ARRAY, false, "which", 1, 2, NULL},
    {"env", MCP_STRING_MAP, false, "with what", 0, 0, NULL},
    {"claims", MCP_OBJECT_ARRAY, false, "which", 0, 0, NULL},
    {0},
};
static const struct mcp_param hold_params[] = {
    {"expression", MCP_STRING, true, "what to hold", 0, 0, NULL},
    {0},
};
static const struct mcp_param echo_results[] = {
    {"given", MCP_STRING_MAP, true, "what came", 0, 0, NULL},
    {0},
};
static const struct mcp_tool exchange_tools[TOOL_COUNT] = {
    {"echo_arguments", "Echo", "Answers with its arguments.", echo_params, echo_results,
	MCP_READ_ONLY, NULL, false, NULL},
    {"hold_call", "Hold", "Is answered by the test.", hold_params, echo_results, 0, NULL, false,
	NULL},
    {"fail_call", "Fail", "Fails.", NULL, echo_results, MCP_DESTRUCTIVE, NULL, false, NULL},
    {"take_nothing", NULL, "Has neither arguments nor title.", NULL, NULL, 0, NULL, false, NULL},
};
static const struct mcp_resource exchange_resources[] = {
    {"rr://guide", "guide", NULL, "How to.", "text/markdown"},
};
static const struct mcp_resource exchange_templates[] = {
    {"rr://traces/{name}", "trace", "A trace", "One trace.", "application/json"},
};
static const struct mcp_param prompt_params[] = {
    {"trace_dir", MCP_STRING, true, "the trace", 0, 0, NULL},
    {0},
};
static const struct mcp_prompt exchange_prompts[] = {
    {"debug_crash", "Debug a crash", "Finds a crash.", prompt_params},
};

struct exchange {
	struct mcp_handler handler;
	struct mcp_server *server;
	struct mcp_request *held; /* the last call of hold_call */
	unsigned calls, cancels;
};

static struct exchange exchange;

static void exchange_call_tool(
    void *owner, struct mcp_request *request, size_t tool, json_t *arguments)
{
	(void)owner;
	exchange.calls++;
	switch (tool) {
	case TOOL_HOLD:
		exchange.held = request;
		return;
	case TOOL_FAIL:
		mcp_request_fail(request, "not_found", "No function matches \"foo\".",
		    "rr_symbols with a pattern.",
		    json_pack("{s:s, s:b, s:[s,s]}", "session", "s1", "session_alive", 1, "near",
			"food", "fool"));
		return;
	default:
		mcp_request_answer_text(request, json_pack("{s:O}", "given", arguments), NULL);
	}
}

static void exchange_cancel(void *owner, struct mcp_request *request)
{
	(void)owner;
	exchange.cancels++;
	if (exchange.held == request)
		exchange.held = NULL;
}

static void exchange_read(void *owner, struct mcp_request *request, const char *uri)
{
	(void)owner;
	if (strcmp(uri, "rr://guide") == 0)
		mcp_request_contents(request, "text/markdown", "# Guide");
	else
		mcp_request_fail(request, "not_found", "Resource not found", NULL, NULL);
}

static void exchange_prompt(
    void *owner, struct mcp_request *request, size_t prompt, json_t *arguments)
{
	char text[128];

	(void)owner, (void)prompt;
	snprintf(text, sizeof(text), "Look into %s.",
	    json_string_value(json_object_get(arguments, "trace_dir")));
	mcp_request_contents(request, NULL, text);
}

static json_t *exchange_complete(
    void *owner, const char *reference, const char *argument, const char *value)
{
	json_t *values = json_array();

	(void)owner;
	if (strcmp(reference, "debug_crash") == 0 && strcmp(argument, "trace_dir") == 0)
		for (int i = 0; i < 120; i++)
			json_array_append_new(values, json_sprintf("%s-%d", value, i));
	return values;
}

static inline void exchange_open(void)
{
	exchange =
	    (struct exchange){.handler = {
				  .name = "rr-warden",
				  .title = "rr warden",
				  .version = "1.2.3",
				  .instructions = "Record, then replay.",
				  .codes = {"invalid_argument", "not_found", "limit", "cancelled"},
				  .tools = exchange_tools,
				  .tool_count = TOOL_COUNT,
				  .resources = exchange_resources,
				  .resource_count = 1,
				  .templates = exchange_templates,
				  .template_count = 1,
				  .prompts = exchange_prompts,
				  .prompt_count = 1,
				  .call_tool = exchange_call_tool,
				  .cancel = exchange_cancel,
				  .read_resource = exchange_read,
				  .get_prompt = exchange_prompt,
				  .complete = exchange_complete,
			      }};
	exchange.server = mcp_server_new(&exchange.handler);
	ck_assert_ptr_nonnull(exchange.server);
}

static inline void exchange_close(void)
{
	mcp_server_free(exchange.server);
	exchange.server = NULL;
}

/* Sends a line. */
static inline void say(const char *line)
{
	ck_assert(mcp_server_feed(exchange.server, line, strlen(line)));
	ck_assert(mcp_server_feed(exchange.server, "\n", 1));
}

/* The next line that came out, or NULL. Every byte must belong to a JSON line. */
static inline json_t *hear(void)
{
	const char *bytes;
	size_t size = mcp_server_output(exchange.server, &bytes);
	json_error_t error;

	if (size == 0)
		return NULL;
	const char *newline = memchr(bytes, '\n', size);
	ck_assert_msg(newline != NULL, "output ends within a line");
	json_t *message = json_loadb(bytes, (size_t)(newline - bytes), 0, &error);
	ck_assert_msg(message != NULL, "%s", error.text);
	ck_assert_str_eq(json_string_value(json_object_get(message, "jsonrpc")), "2.0");
	mcp_server_sent(exchange.server, (size_t)(newline - bytes) + 1);
	return message;
}

static inline json_t *ask(const char *line)
{
	say(line);
	json_t *answer = hear();
	ck_assert_msg(answer != NULL, "no answer");
	return answer;
}

static inline void expect_silence(void)
{
	json_t *message = hear();
	ck_assert_msg(message == NULL, "a message came where none may");
}

/* The value at a path such as "result/tools/0/name"; NULL if there is none. */
static inline json_t *at(json_t *value, const char *path)
{
	char copy[256], *rest = copy, *step;

	snprintf(copy, sizeof(copy), "%s", path);
	while (value && (step = strsep(&rest, "/")) != NULL)
		value = json_is_array(value) ? json_array_get(value, (size_t)atoi(step))
					     : json_object_get(value, step);
	return value;
}

static inline const char *text_at(json_t *value, const char *path)
{
	const char *text = json_string_value(at(value, path));
	return text ? text : "(no text there)";
}

static inline long long number_at(json_t *value, const char *path)
{
	ck_assert_msg(json_is_integer(at(value, path)), "no integer at %s", path);
	return json_integer_value(at(value, path));
}

static inline bool holds(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

/* Opens the conversation as clients up to 2025-11-25 do; the answer. */
static inline json_t *initialize(const char *version)
{
	char line[256];

	snprintf(line, sizeof(line),
	    CALL("initialize", "\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":"
			       "{\"name\":\"t\",\"version\":\"1\"}"),
	    version);
	json_t *answer = ask(line);
	say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	expect_silence();
	return answer;
}

static inline void exchange_open_legacy(void)
{
	exchange_open();
	json_decref(initialize("2025-11-25"));
}

/* Calls a tool; the whole answer. */
static inline json_t *call(const char *tool, const char *arguments)
{
	char line[8192];

	snprintf(line, sizeof(line), CALL("tools/call", "\"name\":\"%s\",\"arguments\":%s"), tool,
	    arguments);
	return ask(line);
}

#endif
