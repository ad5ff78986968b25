#ifndef MCP_APPS_H
#define MCP_APPS_H
/*
 * MCP Apps (SEP-1865, revision 2026-01-26): a host that announces the extension shows its user the
 * results of some tools in a page of ours. Other hosts hear nothing of it.
 */
#include "mcp/connection.h"

#define APPS_EXTENSION "io.modelcontextprotocol/ui"
#define APPS_MIME_TYPE "text/html;profile=mcp-app"

/* Whether a client with these capabilities (NULL: none) shows such pages. */
bool apps_are_announced(const json_t *capabilities);

/* Whether the client does that sent this message. */
bool apps_are_shown(const struct mcp_incoming *incoming);

/* Adds the extension to what the server says of itself, for such a client. */
void apps_add_capability(const struct mcp_handler *handler, json_t *capabilities);

/* NULL: there is none with that URI. */
const struct mcp_app *apps_find(const struct mcp_handler *handler, const char *uri);

/* Answers resources/read. */
void apps_give(struct mcp_request *request, const struct mcp_app *app);

#endif
