/*
 * tools/list and tools/call. An unknown tool is a protocol error, bad arguments are a result: the
 * first is the client's mistake, the second the model's, and only results reach the model.
 */
#include <string.h>

#include "mcp/apps.h"
#include "mcp/arguments.h"
#include "mcp/lists.h"
#include "mcp/methods.h"
#include "mcp/questions.h"
#include "mcp/request.h"
#include "mcp/text.h"

void tools_list(const struct mcp_incoming *incoming)
{
	lists_answer(incoming, apps_are_shown(incoming) ? MCP_LIST_APP_TOOLS : MCP_LIST_TOOLS);
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
	size_t index;
	if (!lists_find(incoming, MCP_LIST_TOOLS, name, &index))
		return;
	if (given && !json_is_object(given) && !json_is_null(given)) {
		connection_invalid_params(incoming, "Invalid params: arguments must be an object");
		return;
	}
	struct mcp_request *request = request_begin(incoming, MCP_CALL_TOOL);
	if (!request)
		return;
	request->tool = index;
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
