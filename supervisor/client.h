#ifndef SUPERVISOR_CLIENT_H
#define SUPERVISOR_CLIENT_H
/*
 * The client's end: stdin into the MCP server, its output to stdout. Never blocks on either, and
 * stops reading a client that does not read.
 */
#include "mcp/server.h"
#include "supervisor/loop.h"

struct client {
	struct loop *loop;
	struct mcp_server *server;
	bool reading; /* stdin is watched */
	bool writing; /* stdout is watched */
	bool ended;   /* EOF, or an error that is as good */
};

/* Begins to read. */
void client_start(struct client *client, struct loop *loop, struct mcp_server *server);

/* After the events of a turn: writes what there is, as far as the client takes it. */
void client_turn(struct client *client);

/* Before we go: gives the client a last chance to take what waits for it. */
void client_flush(struct client *client, int timeout_ms);

#endif
