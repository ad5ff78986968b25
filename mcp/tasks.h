#ifndef MCP_TASKS_H
#define MCP_TASKS_H
/*
 * The Tasks extension (io.modelcontextprotocol/tasks) of 2026-07-28: a call that takes long is
 * answered with a handle, and its result waits here until the client asks for it. A task ends with
 * its connection: a server on stdio has no other client.
 */
#include "mcp/request.h"

#define TASKS_EXTENSION "io.modelcontextprotocol/tasks"

struct mcp_task;

/* Does the message say that its client takes tasks? */
bool tasks_are_taken(const struct mcp_incoming *incoming);

/* The error for a client that needs the extension and does not support it. */
void tasks_refuse_client(const struct mcp_incoming *incoming);

/* The request's result (stolen), and its progress. */
void tasks_complete(struct mcp_task *task, json_t *result);
void tasks_note(struct mcp_task *task, double progress, double total, const char *message);

/* Cancels all tasks at work, sends nothing, and forgets all tasks. */
void tasks_clear(struct mcp_server *server);

#endif
