#ifndef MCP_LISTS_H
#define MCP_LISTS_H
/*
 * The lists, page by page, each serialized once: at the start, and the list of tools again when an
 * answer names a tool that it lacks.
 */
#include "mcp/connection.h"

bool lists_prepare(struct mcp_server *server); /* false without memory */
void lists_clear(struct mcp_server *server);
void lists_answer(const struct mcp_incoming *incoming, enum mcp_list list);

/* Lists the tools that `text`, which is about to be sent, names; the client is told if that changes
 * the list. */
void lists_add_named(struct mcp_server *server, const char *text);

/* The index of a tool or a prompt. False: there is none with that name, and the client has been
 * told so. */
bool lists_find(
    const struct mcp_incoming *incoming, enum mcp_list list, const char *name, size_t *index);

/* A skill as skills/list and skills/get show it. */
json_t *lists_describe_skill(const struct mcp_skill *skill);

/* Says how long a result stays valid, which is required for results that clients can cache. */
void lists_set_caching(json_t *result);

#endif
