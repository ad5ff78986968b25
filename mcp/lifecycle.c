/*
 * Finds the revision of a message. A request with the _meta of 2026-07-28 needs nothing else,
 * whatever came before on the connection. A request without it needs an initialize first.
 */
#include "mcp/methods.h"
#include <string.h>

#include "mcp/apps.h"
#include "mcp/request.h"
#include "mcp/skills.h"
#include "mcp/tasks.h"
#include "mcp/text.h"

#define META_PREFIX	  "io.modelcontextprotocol/"
#define DISCOVER_FRESH_MS 300000

/* 2025-03-26 is left out: its batches were withdrawn. The first is what others are offered. */
static const char *const legacy_versions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};
static const char modern_version[] = "2026-07-28";

static bool refuse_version(const struct mcp_incoming *incoming, const char *requested)
{
	connection_error(incoming, RPC_UNSUPPORTED_VERSION, "Unsupported protocol version",
	    json_pack(
		"{s:[s], s:o}", "supported", modern_version, "requested", text_json(requested)));
	return false;
}

static bool settle_modern(struct mcp_incoming *incoming, const json_t *meta)
{
	const json_t *version = json_object_get(meta, META_PREFIX "protocolVersion");
	const json_t *capabilities = json_object_get(meta, META_PREFIX "clientCapabilities");
	const json_t *client = json_object_get(meta, META_PREFIX "clientInfo");

	incoming->revision = MCP_REVISION_2026;
	if (!json_is_string(version))
		connection_invalid_params(incoming,
		    "Invalid params: _meta needs %sprotocolVersion, a string", META_PREFIX);
	else if (strcmp(json_string_value(version), modern_version) != 0)
		refuse_version(incoming, json_string_value(version));
	else if (!json_is_object(capabilities))
		connection_invalid_params(incoming,
		    "Invalid params: _meta needs %sclientCapabilities, an object", META_PREFIX);
	else if (client && !json_is_object(client))
		connection_invalid_params(
		    incoming, "Invalid params: %sclientInfo must be an object", META_PREFIX);
	else
		return true;
	return false;
}

static bool method_opens_legacy(const char *method)
{
	return strcmp(method, "initialize") == 0 || strcmp(method, "ping") == 0;
}

bool lifecycle_settle_revision(struct mcp_incoming *incoming, const char *method)
{
	const json_t *meta = json_object_get(incoming->params, "_meta");
	bool modern_only =
	    strcmp(method, "server/discover") == 0 || strcmp(method, "subscriptions/listen") == 0;

	if (meta && !json_is_object(meta)) {
		connection_invalid_params(incoming, "Invalid params: _meta must be an object");
		return false;
	}
	incoming->revision = MCP_REVISION_2025;
	if (modern_only || json_object_get(meta, META_PREFIX "protocolVersion") ||
	    json_object_get(meta, META_PREFIX "clientCapabilities"))
		return settle_modern(incoming, meta);
	if (incoming->server->initialized || method_opens_legacy(method))
		return true;
	connection_invalid_params(incoming,
	    "Invalid params: send initialize first, or give %sprotocolVersion and "
	    "%sclientCapabilities in _meta",
	    META_PREFIX, META_PREFIX);
	return false;
}

static json_t *server_capabilities(const struct mcp_handler *handler)
{
	json_t *capabilities = json_pack("{s:{}}", "tools");

	/* Clients that read it keep a stream open for it, so it is said only where it can happen.
	 */
	if (handler->listing)
		json_object_set_new(
		    json_object_get(capabilities, "tools"), "listChanged", json_true());
	if (handler->resource_count > 0 || handler->template_count > 0 || handler->skill_count > 0)
		json_object_set_new(capabilities, "resources", json_object());
	if (handler->prompt_count > 0)
		json_object_set_new(capabilities, "prompts", json_object());
	if (handler->complete)
		json_object_set_new(capabilities, "completions", json_object());
	return capabilities;
}

static void set_instructions(json_t *result, const struct mcp_handler *handler)
{
	if (handler->instructions)
		json_object_set_new(result, "instructions", json_string(handler->instructions));
}

void lifecycle_initialize(const struct mcp_incoming *incoming)
{
	const struct mcp_handler *handler = incoming->server->handler;
	const char *asked = incoming_string(incoming, "protocolVersion"),
		   *version = legacy_versions[0];

	if (!asked) {
		connection_invalid_params(
		    incoming, "Invalid params: initialize needs protocolVersion, a string");
		return;
	}
	for (size_t i = 0; i < sizeof(legacy_versions) / sizeof(*legacy_versions); i++)
		if (strcmp(asked, legacy_versions[i]) == 0)
			version = legacy_versions[i];
	json_t *info = json_pack("{s:s, s:s}", "name", handler->name, "version", handler->version);
	if (handler->title)
		json_object_set_new(info, "title", json_string(handler->title));
	json_t *result = json_pack("{s:s, s:o, s:o}", "protocolVersion", version, "capabilities",
	    server_capabilities(handler), "serverInfo", info);
	set_instructions(result, handler);
	incoming->server->initialized = true;
	incoming->server->shows_apps =
	    apps_are_announced(json_object_get(incoming->params, "capabilities"));
	if (incoming->server->shows_apps)
		apps_add_capability(handler, json_object_get(result, "capabilities"));
	connection_result(incoming, result);
}

void lifecycle_ping(const struct mcp_incoming *incoming)
{
	connection_result_serialized(incoming, "{}", 2);
}

void lifecycle_discover(const struct mcp_incoming *incoming)
{
	const struct mcp_handler *handler = incoming->server->handler;
	json_t *result =
	    json_pack("{s:[s], s:o, s:i, s:s}", "supportedVersions", modern_version, "capabilities",
		server_capabilities(handler), "ttlMs", DISCOVER_FRESH_MS, "cacheScope", "public");

	json_t *extensions = json_pack("{s:{}}", TASKS_EXTENSION);
	if (handler->skill_count > 0)
		json_object_set_new(extensions, SKILLS_EXTENSION, json_object());
	json_object_set_new(json_object_get(result, "capabilities"), "extensions", extensions);
	if (apps_are_shown(incoming))
		apps_add_capability(handler, json_object_get(result, "capabilities"));
	set_instructions(result, handler);
	connection_result(incoming, result);
}

/* What it asked for and we may send: the list of tools can change, no other. */
static json_t *honored(const struct mcp_incoming *incoming)
{
	const json_t *asked = json_object_get(incoming->params, "notifications");
	json_t *set = json_object();

	if (incoming->server->handler->listing &&
	    json_is_true(json_object_get(asked, "toolsListChanged")))
		json_object_set_new(set, "toolsListChanged", json_true());
	return set;
}

/* The stream stays open until the client cancels it, as specified. */
void lifecycle_listen(const struct mcp_incoming *incoming)
{
	if (!json_is_object(json_object_get(incoming->params, "notifications"))) {
		connection_invalid_params(incoming,
		    "Invalid params: subscriptions/listen needs notifications, an object");
		return;
	}
	/* Clients poll their tasks. Only clients that support tasks can ask for notifications. */
	if (json_object_get(json_object_get(incoming->params, "notifications"), "taskIds") &&
	    !tasks_are_taken(incoming)) {
		tasks_refuse_client(incoming);
		return;
	}
	struct mcp_request *request = request_begin(incoming, MCP_LISTEN);
	if (!request)
		return;
	json_t *set = honored(incoming);
	request->hears_of_tools = json_object_size(set) > 0;
	connection_notify(incoming->server, "notifications/subscriptions/acknowledged",
	    json_pack("{s:{s:O}, s:o}", "_meta", META_PREFIX "subscriptionId", request->id,
		"notifications", set));
}

/* Up to 2025-11-25 every client hears of it, later only who asked. */
void lifecycle_tell_tools_changed(struct mcp_server *server)
{
	static const char method[] = "notifications/tools/list_changed";

	if (server->initialized)
		connection_notify(server, method, json_object());
	for (struct mcp_request *request = server->requests; request; request = request->next)
		if (request->hears_of_tools)
			connection_notify(server, method,
			    json_pack(
				"{s:{s:O}}", "_meta", META_PREFIX "subscriptionId", request->id));
}
