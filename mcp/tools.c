/*
 * tools/list and tools/call. An unknown tool is a protocol error, bad arguments are a result: the
 * first is the client's mistake, the second the model's, and only results reach the model.
 */
#include <string.h>

#include "mcp/arguments.h"
#include "mcp/lists.h"
#include "mcp/methods.h"
#include "mcp/questions.h"
#include "mcp/request.h"
#include "mcp/text.h"

void tools_list(const struct mcp_incoming *incoming)
{
	lists_answer(incoming, MCP_LIST_TOOLS);
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

static void refuse_unknown_tool(const struct mcp_incoming *incoming, const char *name)
{
	const char *nearest = text_nearest(name, tool_name_at, incoming->server->handler);

	if (nearest)
		connection_invalid_params(incoming, "Unknown tool: %.*s. Did you mean %s?",
		    text_cut(name, TEXT_NAME_MAX), name, nearest);
	else
		connection_invalid_params(
		    incoming, "Unknown tool: %.*s", text_cut(name, TEXT_NAME_MAX), name);
}

void tools_call(const struct mcp_incoming *incoming)
{
	const struct mcp_handler *handler = incoming->server->handler;
	const char *name = incoming_string(incoming, "name");
	json_t *given = json_object_get(incoming->params, "arguments");
	struct argument_fault fault;

	if (!name) {
		connection_invalid_params(
		    incoming, "Invalid params: tools/call needs name, a string");
		return;
	}
	size_t index = tool_index(handler, name);
	if (index == handler->tool_count) {
		refuse_unknown_tool(incoming, name);
		return;
	}
	if (given && !json_is_object(given) && !json_is_null(given)) {
		connection_invalid_params(incoming, "Invalid params: arguments must be an object");
		return;
	}
	struct mcp_request *request = request_begin(incoming, MCP_CALL_TOOL);
	if (!request)
		return;
	const struct mcp_param *params = handler->tools[index].params;
	given = questions_add_answers(params, given, request->responses);
	request->arguments = arguments_accept(params, given, &fault);
	json_decref(given);
	if (request->arguments)
		handler->call_tool(handler->owner, request, index, request->arguments);
	else
		mcp_request_fail(
		    request, handler->codes.invalid_argument, fault.message, fault.hint, NULL);
}
