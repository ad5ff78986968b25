#ifndef SUPERVISOR_CLIENT_H
#define SUPERVISOR_CLIENT_H
/*
 * Moves stdin into the MCP server and its output to stdout. Never blocks on either, and stops
 * reading from a client that does not read. Ends the loop when the client is gone: its input has
 * ended and its calls are answered (after CLIENT_DRAIN_MS at most), or nobody reads our output any
 * more.
 */
#include <stdint.h>

#include "mcp/server.h"
#include "supervisor/loop.h"

#define CLIENT_DRAIN_MS 5000 /* for answering the running calls after the input has ended */

struct client {
	struct loop *loop;
	struct mcp_server *server;
	bool reading;	  /* stdin is watched */
	bool writing;	  /* stdout is watched for room, and not only for its end */
	bool input_ended; /* EOF */
	bool ended;	  /* the loop is stopped */
	int64_t deadline; /* for the last answers, once the input has ended */
};

/* Begins to read; adds itself to the loop. */
void client_start(struct client *client, struct loop *loop, struct mcp_server *server);

/* Reads nothing more, and leaves the loop. */
void client_hang_up(struct client *client);

/* Before the end: gives the client a last chance to read what is left. */
void client_flush(struct client *client, int timeout_ms);

#endif
