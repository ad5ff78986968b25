#ifndef MCP_REQUEST_H
#define MCP_REQUEST_H
/*
 * Requests in flight, which the owner answers when it can. Each is answered once or cancelled, and
 * nothing is sent for it afterwards.
 */
#include <time.h>
#include "mcp/connection.h"

enum mcp_request_kind { MCP_CALL_TOOL, MCP_READ_RESOURCE, MCP_GET_PROMPT, MCP_LISTEN };

struct mcp_request {
	struct mcp_server *server;
	struct mcp_request *next, *previous;
	enum mcp_request_kind kind;
	enum mcp_revision revision;
	json_t *id;
	json_t *arguments;	 /* what the owner borrowed; may be NULL */
	json_t *uri;		 /* of a resource */
	json_t *capabilities;	 /* of the client; NULL up to 2025-11-25 */
	json_t *responses;	 /* to questions that we asked; may be NULL */
	json_t *attached;	 /* the _meta of its result; may be NULL */
	const char *description; /* of a prompt */
	void *data;
	size_t tool;		   /* the index of the one that is called */
	const char *failure, *why; /* while it fails: code and message */
	bool hears_of_tools;	   /* a subscription: told when the list of tools changes */
	bool cancelled;		   /* within the owner's cancel: an answer is dropped */

	bool shows_app;	       /* the client shows the app of its tool */
	bool takes_tasks;      /* the client accepts a task for it */
	int64_t begun;	       /* ms of CLOCK_MONOTONIC */
	struct mcp_task *task; /* what the client has of it by now, or NULL */

	json_t *token; /* NULL: no progress wanted */
	double sent, pending, pending_total;
	bool has_sent, has_pending;
	char pending_message[256];
};

/* Milliseconds of a clock. */
int64_t request_time(clockid_t clock);

/* Starts a request in flight; NULL if it was refused, with an answer. */
struct mcp_request *request_begin(const struct mcp_incoming *incoming, enum mcp_request_kind kind);
void request_cancel(struct mcp_server *server, const json_t *params);
void request_cancel_all(struct mcp_server *server);
/* The owner drops it; it is freed, and nothing is sent for it. */
void request_drop(struct mcp_request *request);
/* Answers with a description of its task (stolen); the request is in flight no more, and lives. */
void request_answer_task(struct mcp_request *request, json_t *description);

/* Sends the newest tick of every request that has one. */
void request_flush_progress(struct mcp_server *server);

#endif
