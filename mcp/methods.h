#ifndef MCP_METHODS_H
#define MCP_METHODS_H
/*
 * The methods of all revisions. Each takes a message with valid metadata and answers it, now or
 * through a request in flight.
 */
#include "mcp/connection.h"

typedef void mcp_method(const struct mcp_incoming *incoming);

/* lifecycle.c */
mcp_method lifecycle_initialize, lifecycle_ping, lifecycle_discover, lifecycle_listen;
/* tools.c, resources.c, prompts.c */
mcp_method tools_list, tools_call;
mcp_method resources_list, resources_list_templates, resources_read;
mcp_method prompts_list, prompts_get, prompts_complete;
/* skills.c */
mcp_method skills_list, skills_get;
/* tasks.c */
mcp_method tasks_get, tasks_update, tasks_cancel;

/* Tells the clients that want to know that tools/list has changed. */
void lifecycle_tell_tools_changed(struct mcp_server *server);

/* The revision of a request, from its _meta and the earlier messages; false if it was refused. */
bool lifecycle_settle_revision(struct mcp_incoming *incoming, const char *method);

#endif
