/*
 * resources/list, resources/templates/list and resources/read. The owner decides which URIs exist,
 * because a template stands for more than a list can name.
 */
#include <string.h>

#include "mcp/apps.h"
#include "mcp/lists.h"
#include "mcp/methods.h"
#include "mcp/request.h"
#include "mcp/skills.h"

#define URI_MAX_BYTES 4096

void resources_list(const struct mcp_incoming *incoming)
{
	lists_answer(incoming, MCP_LIST_RESOURCES);
}

void resources_list_templates(const struct mcp_incoming *incoming)
{
	lists_answer(incoming, MCP_LIST_TEMPLATES);
}

void resources_read(const struct mcp_incoming *incoming)
{
	const struct mcp_handler *handler = incoming->server->handler;
	const char *uri = incoming_string(incoming, "uri");

	if (!uri || strlen(uri) > URI_MAX_BYTES) {
		connection_invalid_params(incoming,
		    "Invalid params: resources/read needs uri, a string of at most %d bytes",
		    URI_MAX_BYTES);
		return;
	}
	struct mcp_request *request = request_begin(incoming, MCP_READ_RESOURCE);
	if (!request)
		return;
	request->uri = json_incref(json_object_get(incoming->params, "uri"));
	const struct mcp_skill *skill = skills_find(handler, uri);
	const struct mcp_app *app = apps_find(handler, uri);
	if (skill)
		mcp_request_contents(request, SKILLS_MIME_TYPE, skill->text);
	else if (app)
		apps_give(request, app);
	else if (handler->read_resource)
		handler->read_resource(handler->owner, request, uri);
	else
		mcp_request_fail(
		    request, handler->codes.not_found, "Resource not found", NULL, NULL);
}
