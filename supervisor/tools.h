#ifndef SUPERVISOR_TOOLS_H
#define SUPERVISOR_TOOLS_H
/*
 * The tools: what clients see of each (one row of tools_shown) and where its calls go (the row of
 * the same index of tools_routed).
 */
#include <stddef.h>
#include <stdint.h>

#include "mcp/server.h"
#include "sandbox/proto.h"
#include "supervisor/deadlines.h"

#define TOOLS_LIST_MAX (40 * 1024) /* bytes of the whole tools/list answer */

enum tool {
	TOOL_RECORD,
	TOOL_REPLAY_START,
	TOOL_REPLAY_STOP,
	TOOL_LIST_RECORDINGS,
	TOOL_PS,
	TOOL_TRACEINFO,
	TOOL_RM,
	TOOL_PACK,
	TOOL_EXPORT,
	TOOL_IMPORT,
	TOOL_RECORD_UNTIL,
	TOOL_WHEN,
	TOOL_BREAKPOINT_SET,
	TOOL_BREAKPOINT_REMOVE,
	TOOL_BREAKPOINT_LIST,
	TOOL_WATCHPOINT_SET,
	TOOL_CONTINUE,
	TOOL_STEP,
	TOOL_NEXT,
	TOOL_FINISH,
	TOOL_RUN_TO_EVENT,
	TOOL_THREAD_LIST,
	TOOL_THREAD_SELECT,
	TOOL_SELECT_FRAME,
	TOOL_BACKTRACE,
	TOOL_EVALUATE,
	TOOL_LOCALS,
	TOOL_READ_MEMORY,
	TOOL_REGISTERS,
	TOOL_SOURCE_LINES,
	TOOL_CHECKPOINT_SAVE,
	TOOL_CHECKPOINT_RESTORE,
	TOOL_CHECKPOINT_LIST,
	TOOL_CHECKPOINT_DELETE,
	TOOL_SESSIONS,
	TOOL_STATUS,
	TOOL_GOTO,
	TOOL_INTERRUPT,
	TOOL_CRASH_REPORT,
	TOOL_LAST_CHANGE,
	TOOL_GDB_COMMAND,
	TOOL_COUNT
};

enum tool_handling {
	HANDLE_SESSION, /* by the session's worker */
	HANDLE_OPEN,	/* by a new session's worker */
	HANDLE_EITHER,	/* a new session when there is a trace_dir argument */
	HANDLE_RECORD,	/* by a record worker of its own */
	HANDLE_QUERY,	/* by a query worker of its own */
	HANDLE_STOP,
	HANDLE_SESSIONS,
	HANDLE_INTERRUPT
};

struct tool_route {
	enum tool_handling handling;
	uint32_t operation; /* WIRE_OP_*, or 0 */
	enum deadline_class class;
	int permission; /* enum setting that must be on, or -1 */
};

extern const struct mcp_tool tools_shown[TOOL_COUNT];
extern const struct tool_route tools_routed[TOOL_COUNT];

#endif
