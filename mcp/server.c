/*
 * The server's thread through mcp/: bytes to lines, lines to messages, messages to methods. Keeps
 * the order of what the client sent, and takes nothing new while too much waits to be read by it.
 */
#include "mcp/server.h"
#include <stdlib.h>
#include <string.h>

#include "mcp/lists.h"
#include "mcp/methods.h"
#include "mcp/request.h"
#include "mcp/tasks.h"

#define IN_2025 (1u << MCP_REVISION_2025)
#define IN_2026 (1u << MCP_REVISION_2026)
#define IN_ALL	(IN_2025 | IN_2026)

struct method {
	const char *name;
	unsigned revisions;
	mcp_method *run;
};

static const struct method methods[] = {
    {"tools/call", IN_ALL, tools_call},
    {"tools/list", IN_ALL, tools_list},
    {"ping", IN_2025, lifecycle_ping},
    {"initialize", IN_2025, lifecycle_initialize},
    {"server/discover", IN_2026, lifecycle_discover},
    {"subscriptions/listen", IN_2026, lifecycle_listen},
    {"resources/list", IN_ALL, resources_list},
    {"resources/templates/list", IN_ALL, resources_list_templates},
    {"resources/read", IN_ALL, resources_read},
    {"prompts/list", IN_ALL, prompts_list},
    {"prompts/get", IN_ALL, prompts_get},
    {"completion/complete", IN_ALL, prompts_complete},
    {"skills/list", IN_2026, skills_list},
    {"skills/get", IN_2026, skills_get},
    {"tasks/get", IN_2026, tasks_get},
    {"tasks/update", IN_2026, tasks_update},
    {"tasks/cancel", IN_2026, tasks_cancel},
};

static const struct method *method_find(const char *name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	return NULL;
}

static void serve_request(struct mcp_server *server, const struct rpc_message *message)
{
	struct mcp_incoming incoming = {
	    .server = server, .id = message->id, .params = message->params};
	const struct method *method = method_find(message->method);
	const json_t *meta = json_object_get(message->params, "_meta");

	/* The method is unknown, unless the message's revision is unknown too and may have it. */
	if (!method && !json_is_object(meta)) {
		connection_error(&incoming, RPC_METHOD_NOT_FOUND, "Method not found", NULL);
		return;
	}
	if (!lifecycle_settle_revision(&incoming, message->method))
		return;
	if (method && (method->revisions & (1u << incoming.revision)))
		method->run(&incoming);
	else
		connection_error(&incoming, RPC_METHOD_NOT_FOUND, "Method not found", NULL);
}

static void serve_line(struct mcp_server *server, const char *line, size_t length)
{
	struct rpc_message message;

	rpc_parse(line, length, &message);
	switch (message.kind) {
	case RPC_NOTHING:
		break;
	case RPC_REQUEST:
		serve_request(server, &message);
		break;
	case RPC_NOTIFICATION:
		if (strcmp(message.method, "notifications/cancelled") == 0)
			request_cancel(server, message.params);
		break;
	case RPC_INVALID:
		connection_error(&(struct mcp_incoming){.server = server, .id = message.id},
		    message.code, message.error, NULL);
		break;
	}
	rpc_message_clear(&message);
}

static bool output_is_high(const struct mcp_server *server)
{
	return output_queue_size(&server->output) > OUTPUT_HIGH_BYTES;
}

static void serve_lines(struct mcp_server *server)
{
	const char *line;
	size_t length;

	while (!output_is_high(server)) {
		switch (line_reader_next(&server->input, &line, &length)) {
		case LINE_NONE:
			return;
		case LINE_READY:
			serve_line(server, line, length);
			break;
		case LINE_TOO_LONG:
			connection_error(&(struct mcp_incoming){.server = server},
			    RPC_INVALID_REQUEST, "Invalid request: a line is longer than 4 MiB",
			    NULL);
			break;
		}
	}
}

struct mcp_server *mcp_server_new(const struct mcp_handler *handler)
{
	struct mcp_server *server = calloc(1, sizeof(*server));

	json_object_seed(0);
	if (!server)
		return NULL;
	server->handler = handler;
	if (!lists_prepare(server)) {
		mcp_server_free(server);
		return NULL;
	}
	return server;
}

void mcp_server_free(struct mcp_server *server)
{
	if (!server)
		return;
	request_cancel_all(server);
	tasks_clear(server);
	lists_clear(server);
	line_reader_clear(&server->input);
	output_queue_clear(&server->output);
	free(server);
}

bool mcp_server_feed(struct mcp_server *server, const char *bytes, size_t length)
{
	if (!line_reader_push(&server->input, bytes, length))
		server->failed = true;
	else
		serve_lines(server);
	return !server->failed && !server->output.failed;
}

size_t mcp_server_in_flight(const struct mcp_server *server)
{
	return server->in_flight;
}

bool mcp_server_wants_input(const struct mcp_server *server)
{
	return !output_is_high(server);
}

size_t mcp_server_output(struct mcp_server *server, const char **bytes)
{
	request_flush_progress(server);
	*bytes = server->output.bytes ? server->output.bytes + server->output.start : "";
	return output_queue_size(&server->output);
}

void mcp_server_sent(struct mcp_server *server, size_t length)
{
	output_queue_consume(&server->output, length);
	serve_lines(server);
}
