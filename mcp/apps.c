/*
 * See apps.h.
 */
#include "mcp/apps.h"

#include <string.h>

#include "mcp/request.h"

bool apps_are_announced(const json_t *capabilities)
{
	const json_t *extension =
	    json_object_get(json_object_get(capabilities, "extensions"), APPS_EXTENSION);
	const json_t *types = json_object_get(extension, "mimeTypes"), *type;
	size_t i;

	json_array_foreach(types, i, type)
	{
		if (json_is_string(type) && strcmp(json_string_value(type), APPS_MIME_TYPE) == 0)
			return true;
	}
	return false;
}

/* From 2026-07-28 on, each request has the capabilities of its client. */
bool apps_are_shown(const struct mcp_incoming *incoming)
{
	const json_t *meta = json_object_get(incoming->params, "_meta");

	if (incoming->server->handler->app_count == 0)
		return false;
	if (incoming->revision == MCP_REVISION_2025)
		return incoming->server->shows_apps;
	return apps_are_announced(
	    json_object_get(meta, "io.modelcontextprotocol/clientCapabilities"));
}

void apps_add_capability(const struct mcp_handler *handler, json_t *capabilities)
{
	json_t *extensions = json_object_get(capabilities, "extensions");

	if (handler->app_count == 0)
		return;
	if (!extensions) {
		extensions = json_object();
		json_object_set_new(capabilities, "extensions", extensions);
	}
	json_object_set_new(
	    extensions, APPS_EXTENSION, json_pack("{s:[s]}", "mimeTypes", APPS_MIME_TYPE));
}

const struct mcp_app *apps_find(const struct mcp_handler *handler, const char *uri)
{
	for (size_t i = 0; i < handler->app_count; i++)
		if (strcmp(handler->apps[i].uri, uri) == 0)
			return &handler->apps[i];
	return NULL;
}

/* It names no domain, so the host lets it reach none. */
void apps_give(struct mcp_request *request, const struct mcp_app *app)
{
	mcp_request_answer_result(
	    request, json_pack("{s:[{s:s, s:s, s:s, s:{s:{s:{}, s:b}}}]}", "contents", "uri",
			 app->uri, "mimeType", APPS_MIME_TYPE, "text", app->html, "_meta", "ui",
			 "csp", "prefersBorder", 1));
}
