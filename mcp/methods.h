#ifndef MCP_METHODS_H
#define MCP_METHODS_H
/*
 * The methods of both eras. Each takes a call whose metadata is in order and answers it, now or
 * through a request in flight.
 */
#include "mcp/connection.h"

typedef void mcp_method(const struct mcp_call *call);

/* lifecycle.c */
mcp_method lifecycle_initialize, lifecycle_ping, lifecycle_discover, lifecycle_listen;
/* tools.c, resources.c, prompts.c */
mcp_method tools_list, tools_call;
mcp_method resources_list, resources_list_templates, resources_read;
mcp_method prompts_list, prompts_get, prompts_complete;

/* legacy.c */
mcp_method legacy_set_level, legacy_subscribe;

/* The era a request speaks, by its _meta and what went before; false when it was refused. */
bool lifecycle_settle_era(struct mcp_call *call, const char *method);

#endif
