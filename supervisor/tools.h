#ifndef SUPERVISOR_TOOLS_H
#define SUPERVISOR_TOOLS_H
/*
 * The tools as the supervisor needs them, made from the rows in sandbox/wire/tools.def: what
 * clients see of each (tools_shown) and where its calls go (tools_routed, with the same index).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mcp/server.h"
#include "sandbox/wire/proto.h"
#include "supervisor/deadlines.h"
#include "supervisor/hooks.h"

#define TOOLS_LIST_MAX 40000 /* bytes of the whole tools/list answer */
#define TOOLS_CORE_MAX 14000 /* and of the short one, --tools=core */

enum tool {
#define TOOL(NAME, name, handler, operation, deadline, effect, title, description) TOOL_##NAME,
#include "sandbox/wire/tools.def"
	TOOL_COUNT
};

enum tool_handler { /* see tools.def */
	HANDLER_SESSION,
	HANDLER_OPEN,
	HANDLER_EITHER,
	HANDLER_RECORD,
	HANDLER_QUERY,
	HANDLER_COMPARE,
	HANDLER_HERE
};

/* A setting that must be on: for the whole tool, or if the argument `flag` is true, which allows
 * `what`. */
struct tool_need {
	bool is_needed;
	enum setting setting;
	const char *flag, *what; /* NULL: the tool itself */
};

struct tool_route {
	enum tool_handler handler;
	uint32_t operation; /* WIRE_OP_*, or 0 */
	bool core;	    /* in the short list of tools */
	enum deadline_class class;
	struct tool_need need;
	hook_before *before; /* each of these may be NULL */
	hook_after *after;
	hook_handle *handle; /* of HANDLER_HERE */
};

extern const struct mcp_tool tools_shown[TOOL_COUNT];
extern const struct tool_route tools_routed[TOOL_COUNT];

#endif
