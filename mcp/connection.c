/*
 * Sends messages. Only this file of mcp/ writes to the output queue, so the client gets only whole
 * JSON-RPC messages, each with a newline.
 */
#include "mcp/connection.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mcp/text.h"

/* 15 digits: the longest that gives 0.1 back as 0.1. */
#define CONNECTION_DUMP (JSON_COMPACT | JSON_REAL_PRECISION(15))

static int append_chunk(const char *bytes, size_t length, void *queue)
{
	output_queue_append(queue, bytes, length);
	return 0;
}

static void connection_send(struct mcp_server *server, json_t *message)
{
	/* Half a message is worse than none, so a failed dump ends the connection. */
	if (!message ||
	    json_dump_callback(message, append_chunk, &server->output, CONNECTION_DUMP) != 0)
		server->output.failed = true;
	output_queue_append(&server->output, "\n", 1);
	json_decref(message);
}

void connection_add_common_fields(
    const struct mcp_handler *handler, enum mcp_revision revision, json_t *result)
{
	if (revision == MCP_REVISION_2025)
		return;
	json_t *meta = json_object_get(result, "_meta");
	if (!meta) {
		meta = json_object();
		json_object_set_new(result, "_meta", meta);
	}
	json_object_set_new(meta, "io.modelcontextprotocol/serverInfo",
	    json_pack("{s:s, s:s}", "name", handler->name, "version", handler->version));
	if (!json_object_get(result, "resultType"))
		json_object_set_new(result, "resultType", json_string("complete"));
}

void connection_result(const struct mcp_incoming *incoming, json_t *result)
{
	connection_add_common_fields(incoming->server->handler, incoming->revision, result);
	connection_send(incoming->server, json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id",
					      (json_t *)incoming->id, "result", result));
}

void connection_result_serialized(
    const struct mcp_incoming *incoming, const char *json, size_t length)
{
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":", middle[] = ",\"result\":";
	struct output_queue *output = &incoming->server->output;

	output_queue_append(output, head, sizeof(head) - 1);
	if (json_dump_callback(incoming->id, append_chunk, output, JSON_ENCODE_ANY) != 0)
		output->failed = true;
	output_queue_append(output, middle, sizeof(middle) - 1);
	output_queue_append(output, json, length);
	output_queue_append(output, "}\n", 2);
}

void connection_error(
    const struct mcp_incoming *incoming, enum rpc_code code, const char *message, json_t *data)
{
	json_t *error = json_pack("{s:i, s:o}", "code", (int)code, "message", text_json(message));
	if (data)
		json_object_set_new(error, "data", data);
	json_t *answer = json_pack("{s:s}", "jsonrpc", "2.0");
	/* Leaves the key out if the id is unknown, because clients refuse "id": null. */
	if (incoming->id)
		json_object_set(answer, "id", (json_t *)incoming->id);
	json_object_set_new(answer, "error", error);
	connection_send(incoming->server, answer);
}

void connection_notify(struct mcp_server *server, const char *method, json_t *params)
{
	connection_send(server,
	    json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

void connection_invalid_params(const struct mcp_incoming *incoming, const char *format, ...)
{
	char message[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	connection_error(incoming, RPC_INVALID_PARAMS, message, NULL);
}

const char *incoming_string(const struct mcp_incoming *incoming, const char *name)
{
	const json_t *value = json_object_get(incoming->params, name);
	const char *text = json_string_value(value);
	return text && strlen(text) == json_string_length(value) ? text : NULL;
}
