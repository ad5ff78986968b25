/*
 * What only the old era has: log messages at a level the client sets, and subscriptions to single
 * resources. Off unless the owner has a use for them; unknown methods then, as in the new era.
 */
#include <string.h>

#include "mcp/methods.h"
#include "mcp/request.h"
#include "mcp/text.h"

static const char *const log_levels[] = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};
#define LOG_LEVELS (int)(sizeof(log_levels) / sizeof(*log_levels))

static int log_level_of(const char *name)
{
	int level = 0;
	while (level < LOG_LEVELS && strcmp(log_levels[level], name) != 0)
		level++;
	return level;
}

void legacy_set_level(const struct mcp_call *call)
{
	const char *name = call_string(call, "level");
	int level = name ? log_level_of(name) : LOG_LEVELS;

	if (!call->server->handler->legacy_logging) {
		connection_error(call, RPC_METHOD_NOT_FOUND, "Method not found", NULL);
	} else if (level == LOG_LEVELS) {
		connection_invalid_params(
		    call, "Invalid params: level must be one of debug to emergency");
	} else {
		call->server->log_level = level;
		connection_result(call, json_object());
	}
}

void legacy_subscribe(const struct mcp_call *call)
{
	if (!call->server->handler->legacy_subscribe)
		connection_error(call, RPC_METHOD_NOT_FOUND, "Method not found", NULL);
	else if (!call_string(call, "uri"))
		connection_invalid_params(call, "Invalid params: uri must be a string");
	else
		connection_result(call, json_object());
}

void mcp_request_log(struct mcp_request *request, const char *level, const char *text)
{
	struct mcp_server *server = request->server;
	bool wanted = log_level_of(level) < LOG_LEVELS && log_level_of(level) >= server->log_level;

	if (request->era == MCP_LEGACY && server->handler->legacy_logging && wanted &&
	    !request->cancelled)
		connection_notify(server, "notifications/message",
		    json_pack("{s:s, s:o}", "level", level, "data", text_json(text)));
}
