/*
 * resources/list, resources/templates/list and resources/read. Which URIs there are is the owner's
 * business: a template stands for more than a list can name.
 */
#include <string.h>

#include "mcp/lists.h"
#include "mcp/methods.h"
#include "mcp/request.h"

#define URI_MAX_BYTES 4096

void resources_list(const struct mcp_call *call)
{
	lists_answer(call, MCP_LIST_RESOURCES);
}

void resources_list_templates(const struct mcp_call *call)
{
	lists_answer(call, MCP_LIST_TEMPLATES);
}

void resources_read(const struct mcp_call *call)
{
	const struct mcp_handler *handler = call->server->handler;
	const char *uri = call_string(call, "uri");

	if (!uri || strlen(uri) > URI_MAX_BYTES) {
		connection_invalid_params(call,
		    "Invalid params: resources/read needs uri, a string of at most %d bytes",
		    URI_MAX_BYTES);
		return;
	}
	struct mcp_request *request = request_begin(call, MCP_READ_RESOURCE);
	if (!request)
		return;
	request->uri = json_incref(json_object_get(call->params, "uri"));
	if (handler->read_resource)
		handler->read_resource(handler->owner, request, uri);
	else
		mcp_request_fail(request, "not_found", "Resource not found", NULL, NULL);
}
