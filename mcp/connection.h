#ifndef MCP_CONNECTION_H
#define MCP_CONNECTION_H
/*
 * The inside of the server, only for the files of mcp/: the connection's state, and sending
 * messages.
 */
#include "mcp/line.h"
#include "mcp/rpc.h"
#include "mcp/server.h"

enum mcp_revision { MCP_REVISION_2025, MCP_REVISION_2026 }; /* up to 2025-11-25; from 2026-07-28 */
#define MCP_REVISIONS 2

enum mcp_list {
	MCP_LIST_TOOLS,
	MCP_LIST_RESOURCES,
	MCP_LIST_TEMPLATES,
	MCP_LIST_PROMPTS,
	MCP_LIST_SKILLS,
	MCP_LIST_APP_TOOLS /* the tools again, with their apps, for hosts that show these */
};
#define MCP_LISTS 6

struct mcp_page { /* a serialized result, ready to be sent */
	char *json;
	size_t length;
};

struct mcp_server {
	const struct mcp_handler *handler;
	struct line_reader input;
	struct output_queue output;
	bool failed;	  /* no memory for input */
	bool initialized; /* by a legacy initialize */
	bool shows_apps;  /* the client said so in it */
	struct mcp_request *requests;
	size_t in_flight;
	struct mcp_task *tasks;
	size_t task_count;
	struct mcp_page *pages[MCP_LISTS][MCP_REVISIONS];
	size_t page_count[MCP_LISTS];
	size_t *shown_tools; /* indices of the tools in tools/list, in the order of the table */
	size_t shown_count;
};

/* One message from the client on its way to its method. */
struct mcp_incoming {
	struct mcp_server *server;
	const json_t *id;
	const json_t *params; /* object or NULL */
	enum mcp_revision revision;
};

/* Each sends one message; result, data and params are stolen. */
void connection_result(const struct mcp_incoming *incoming, json_t *result);
void connection_result_serialized(
    const struct mcp_incoming *incoming, const char *json, size_t length);
void connection_error(
    const struct mcp_incoming *incoming, enum rpc_code code, const char *message, json_t *data);
void connection_notify(struct mcp_server *server, const char *method, json_t *params);

/* Adds the fields that every result of the revision has, and the result's type if it has none. */
void connection_add_common_fields(
    const struct mcp_handler *handler, enum mcp_revision revision, json_t *result);

/* -32602 with a message made as by printf. */
void connection_invalid_params(const struct mcp_incoming *incoming, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

const char *incoming_string(const struct mcp_incoming *incoming, const char *name);

#endif
