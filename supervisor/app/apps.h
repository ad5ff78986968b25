#ifndef SUPERVISOR_APP_APPS_H
#define SUPERVISOR_APP_APPS_H
/*
 * The pages in which hosts with MCP Apps show results. The table is made from the files of this
 * folder by packaging/apps.sh when the server is built.
 */
#include "mcp/server.h"

#define APP_URI "ui://rr-warden/"

extern const struct mcp_app apps_shown[];
extern const size_t apps_count;

#endif
