#ifndef SUPERVISOR_TOOL_LIST_H
#define SUPERVISOR_TOOL_LIST_H
/*
 * Which tools clients list: the setting `tools`. It saves room in front of a model and is no
 * permission: what may be called is what the other settings allow, listed or not.
 */
#include <stdbool.h>

#include "mcp/server.h"

struct settings;

/* Reads "all", "core", or names with commas between them, with or without rr_. Sets listed[i] for
 * each tool of it (TOOL_COUNT of them; NULL: only checks). False if a name is no tool's, or there
 * is none. */
bool tool_list_read(const char *text, bool *listed);

/*
 * Fills in the listing of each tool (TOOL_COUNT). An administrator's list bounds the user's, and
 * what comes to it later. Returns false if all are listed.
 */
bool tool_list_make(const struct settings *settings, enum mcp_listing *listing);

#endif
