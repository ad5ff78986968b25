/*
 * tools/list and tools/call. An unknown tool is a protocol error, bad arguments are a result: the
 * first is the client's mistake, the second the model's, and only results reach the model.
 */
#include <string.h>

#include "mcp/arguments.h"
#include "mcp/lists.h"
#include "mcp/methods.h"
#include "mcp/request.h"
#include "mcp/text.h"

void tools_list(const struct mcp_call *call)
{
	lists_answer(call, MCP_LIST_TOOLS);
}

static const char *tool_name_at(const void *handler, size_t index)
{
	const struct mcp_handler *owner = handler;
	return index < owner->tool_count ? owner->tools[index].name : NULL;
}

static size_t tool_index(const struct mcp_handler *handler, const char *name)
{
	size_t index = 0;
	while (index < handler->tool_count && strcmp(handler->tools[index].name, name) != 0)
		index++;
	return index;
}

static void refuse_unknown_tool(const struct mcp_call *call, const char *name)
{
	const char *nearest = text_nearest(name, tool_name_at, call->server->handler);

	if (nearest)
		connection_invalid_params(call, "Unknown tool: %.*s. Did you mean %s?",
		    text_cut(name, TEXT_NAME_MAX), name, nearest);
	else
		connection_invalid_params(
		    call, "Unknown tool: %.*s", text_cut(name, TEXT_NAME_MAX), name);
}

/* A tool with a schema of its own checks its arguments itself. */
static json_t *accept(
    const struct mcp_tool *tool, const json_t *given, struct argument_fault *fault)
{
	if (tool->input_schema)
		return json_is_object(given) ? json_deep_copy(given) : json_object();
	return arguments_accept(tool->params, given, fault);
}

void tools_call(const struct mcp_call *call)
{
	const struct mcp_handler *handler = call->server->handler;
	const char *name = call_string(call, "name");
	const json_t *given = json_object_get(call->params, "arguments");
	struct argument_fault fault;

	if (!name) {
		connection_invalid_params(call, "Invalid params: tools/call needs name, a string");
		return;
	}
	size_t index = tool_index(handler, name);
	if (index == handler->tool_count) {
		refuse_unknown_tool(call, name);
		return;
	}
	if (given && !json_is_object(given) && !json_is_null(given)) {
		connection_invalid_params(call, "Invalid params: arguments must be an object");
		return;
	}
	struct mcp_request *request = request_begin(call, MCP_CALL_TOOL);
	if (!request)
		return;
	request->arguments = accept(&handler->tools[index], given, &fault);
	if (request->arguments)
		handler->call_tool(handler->owner, request, index, request->arguments);
	else
		mcp_request_fail(request, "invalid_argument", fault.message, fault.hint, NULL);
}
