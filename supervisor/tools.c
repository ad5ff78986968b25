/*
 * The const tables of tools. Nothing here runs.
 *
 * Every client reads all of this at every start: descriptions say when to use a tool and what is
 * not to be guessed from the names, and no more (TOOLS_LIST_MAX).
 */
#include "supervisor/tools.h"

#define END                                                                                        \
	{                                                                                          \
		NULL, MCP_STRING, false, NULL, 0, 0, NULL                                          \
	}
#define TEXT_MAX 4096

/* clang-format off */
#define STRING(name, help)		{name, MCP_STRING, false, help, 0, TEXT_MAX, NULL}
#define NEEDED(name, help)		{name, MCP_STRING, true, help, 0, TEXT_MAX, NULL}
#define CHOICE(name, help, choices)	{name, MCP_STRING, false, help, 0, 0, choices}
#define INTEGER(name, help, min, max)	{name, MCP_INTEGER, false, help, min, max, NULL}
#define NUMBER(name, help)		{name, MCP_NUMBER, false, help, 0, 0, NULL}
#define BOOLEAN(name, help)		{name, MCP_BOOLEAN, false, help, 0, 0, NULL}
#define STRINGS(name, help)		{name, MCP_STRING_ARRAY, false, help, 0, 0, NULL}
#define OBJECT(name, help)		{name, MCP_STRING_MAP, false, help, 0, 0, NULL}
#define OBJECTS(name, help)		{name, MCP_OBJECT_ARRAY, false, help, 0, 0, NULL}
#define SESSION STRING("session", "Session id; default: the only one, or the last used")
#define TRACE_DIR NEEDED("trace_dir", "Trace directory")
#define PARAMS(name) static const struct mcp_param name[]

static const char *const units[] = {"line", "instruction", NULL};
static const char *const accesses[] = {"write", "read", "access", NULL};
static const char *const formats[] = {"natural", "hex", "decimal", "octal", "binary", NULL};

PARAMS(record_args) = {
	{"command", MCP_STRING_ARRAY, true, "Program and its arguments, e.g. [\"./test\", \"-v\"]", 0, 0, NULL},
	STRING("working_directory", "Directory to run in"),
	OBJECT("env", "Further environment variables"),
	STRING("trace_dir", "New directory for the trace; default under ~/.local/share/rr"),
	NUMBER("timeout", "Seconds; the program is ended then, the trace kept"),
	BOOLEAN("chaos", "rr's chaos mode: varies scheduling, for races and flaky tests"),
	STRING("stdin", "Text for its standard input (default: none)"),
	INTEGER("num_cores", "Cores the program sees", 1, 128),
	INTEGER("output_limit", "Bytes of each output stream to answer", 0, 32768),
	END};
static const char *const keeps[] = {"failing", "all", NULL};
PARAMS(until_args) = {
	{"command", MCP_STRING_ARRAY, true, "Program and its arguments", 0, 0, NULL},
	INTEGER("attempts", "Recordings at most (default 10)", 1, 1000),
	STRING("fail_when", "failure (default: status not 0, signal or timeout), exit, exit:3, signal, signal:SIGSEGV, timeout, output:TEXT"),
	BOOLEAN("chaos", "rr's chaos mode (default true)"),
	NUMBER("timeout", "Seconds for one attempt"),
	CHOICE("keep", "Which traces stay (default failing)", keeps),
	STRING("working_directory", "Directory to run in"),
	OBJECT("env", "Further environment variables"),
	STRING("trace_dir", "New directory for the failing trace"),
	STRING("stdin", "Text for its standard input"),
	INTEGER("num_cores", "Cores the program sees", 1, 128),
	INTEGER("output_limit", "Bytes of each output stream to answer", 0, 32768),
	END};
PARAMS(start_args) = {
	STRING("trace_dir", "Trace directory; default: the newest trace"),
	INTEGER("pid", "Process to replay, see rr_ps; default: the first", 1, 4194304),
	BOOLEAN("fork_pid", "pid was forked and never ran exec"),
	STRING("at", "start (default), end, or an event number"),
	END};
PARAMS(only_session) = {SESSION, END};
PARAMS(only_trace) = {TRACE_DIR, END};
PARAMS(export_args) = {TRACE_DIR, NEEDED("file", "New file for the archive, e.g. bug.rr.tar"), END};
PARAMS(import_args) = {NEEDED("file", "An archive that rr_export made"), END};
PARAMS(no_args) = {END};
PARAMS(list_args) = {
	STRING("trace_base_dir", "Default: where rr puts its traces"),
	INTEGER("offset", "next_offset of the page before", 0, 20000),
	INTEGER("limit", "Traces of one answer (default 20)", 1, 100),
	END};
PARAMS(breakpoint_args) = {
	NEEDED("location", "function, file:line or *address"),
	STRING("condition", "Stop only where this expression is true"),
	BOOLEAN("temporary", "Gone after its first hit"),
	INTEGER("ignore_count", "Hits to pass over first", 0, 2147483647),
	STRING("thread", "Only in this thread (id from rr_thread_list)"),
	SESSION, END};
PARAMS(breakpoint_number_args) = {
	{"breakpoint_number", MCP_INTEGER, true, "From rr_breakpoint_set or _list", 1, 2147483647, NULL},
	SESSION, END};
PARAMS(watch_args) = {
	NEEDED("expression", "What to watch, e.g. node->next"),
	CHOICE("access_type", "Default write", accesses),
	BOOLEAN("location", "Watch its address, also outside its scope (default true)"),
	STRING("condition", "Stop only where this expression is true"),
	SESSION, END};
PARAMS(continue_args) = {
	BOOLEAN("reverse", "Backward in time"),
	INTEGER("count", "Stops to pass (default 1)", 1, 1000000),
	STRING("until", "A location to stop at, for this call only"),
	SESSION, END};
PARAMS(step_args) = {
	INTEGER("count", "Steps (default 1), in reverse too", 1, 1000000),
	BOOLEAN("reverse", "Backward in time"),
	CHOICE("unit", "Default line", units),
	SESSION, END};
PARAMS(finish_args) = {
	BOOLEAN("reverse", "Back to the call of the current function"),
	STRING("function", "Out to this caller, across frames"),
	SESSION, END};
PARAMS(run_to_args) = {
	{"event_number", MCP_INTEGER, true, "An rr event", 0, (1LL << 53) - 1, NULL}, SESSION, END};
PARAMS(thread_args) = {NEEDED("thread_id", "From rr_thread_list"), SESSION, END};
PARAMS(frame_args) = {
	{"frame_level", MCP_INTEGER, true, "From rr_backtrace; 0 is innermost", 0, 1000000, NULL}, SESSION, END};
PARAMS(backtrace_args) = {
	INTEGER("max_depth", "Frames at most", 1, 10000),
	BOOLEAN("full", "With each frame's locals"),
	STRING("thread", "Of this thread, or all"),
	INTEGER("start", "First level shown: from `more` of the answer before", 0, 10000000),
	SESSION, END};
PARAMS(evaluate_args) = {
	STRING("expression", "C or C++, in the selected frame"),
	STRINGS("expressions", "Several at once"),
	CHOICE("format", "how to print values; default: by type", formats),
	INTEGER("max_elements", "Array elements shown", 1, 10000),
	BOOLEAN("allow_calls", "Let it call functions (off unless the server allows it)"),
	SESSION, END};
PARAMS(locals_args) = {
	BOOLEAN("arguments", "With the function's arguments (default true)"),
	INTEGER("depth", "Levels of structures shown", 0, 10),
	SESSION, END};
PARAMS(memory_args) = {
	NEEDED("address", "Address or pointer expression"),
	INTEGER("count", "Bytes (default 64)", 1, 8192),
	STRING("format", "hex (default, with ASCII)"),
	SESSION, END};
PARAMS(register_args) = {
	STRINGS("register_names", "e.g. [\"rax\"]; default: the general ones"), SESSION, END};
PARAMS(source_args) = {
	STRING("file", "Default: where the program stands"),
	INTEGER("line", "Middle of what is shown", 1, 100000000),
	INTEGER("count", "Lines (default 10)", 1, 500),
	SESSION, END};
PARAMS(checkpoint_args) = {
	{"checkpoint_id", MCP_INTEGER, true, "From rr_checkpoint_save", 0, 2147483647, NULL}, SESSION, END};
PARAMS(goto_args) = {
	NEEDED("moment", "event, event:ticks, start or end"), SESSION, END};
PARAMS(crash_args) = {
	STRING("trace_dir", "Opens a session on this trace first; with no session open: the newest"),
	INTEGER("pid", "Process of the trace", 1, 4194304),
	BOOLEAN("move", "Stay at the crash; default: only in a session just opened"),
	NUMBER("deadline", "Seconds"),
	SESSION, END};
PARAMS(change_args) = {
	NEEDED("expression", "Whose last write to find, e.g. node->next"),
	BOOLEAN("move", "Stay at the write"),
	NUMBER("deadline", "Seconds"),
	SESSION, END};
PARAMS(gdb_args) = {NEEDED("command", "One gdb command line"), SESSION, END};

PARAMS(record_results) = {
	STRING("trace_dir", NULL), INTEGER("exit_code", NULL, 0, 0), STRING("signal", NULL),
	STRING("stdout", NULL), STRING("stderr", NULL), BOOLEAN("truncated", NULL),
	NUMBER("seconds", NULL), OBJECTS("processes", NULL), STRING("pmu", NULL), END};
PARAMS(until_results) = {
	BOOLEAN("failed", NULL), INTEGER("attempts", NULL, 0, 0), STRING("trace_dir", NULL),
	INTEGER("exit_code", NULL, 0, 0), STRING("signal", NULL), STRING("stdout", NULL),
	STRING("stderr", NULL), END};
PARAMS(start_results) = {
	STRING("session", NULL), INTEGER("pid", NULL, 0, 0), STRING("command", NULL), OBJECT("moment", NULL),
	OBJECT("frame", NULL), STRING("pmu", NULL), OBJECT("sandbox", NULL), END};
PARAMS(stop_session_results) = {STRING("session", NULL), BOOLEAN("stopped", NULL), END};
PARAMS(list_results) = {OBJECTS("recordings", NULL), END};
PARAMS(ps_results) = {OBJECTS("processes", NULL), END};
PARAMS(any_results) = {END};
PARAMS(moment_results) = {
	INTEGER("event", NULL, 0, 0), INTEGER("ticks", NULL, 0, 0), INTEGER("tid", NULL, 0, 0), NUMBER("percent", NULL), END};
PARAMS(breakpoint_results) = {
	INTEGER("number", NULL, 0, 0), STRING("location", NULL), STRING("function", NULL),
	STRING("file", NULL), INTEGER("line", NULL, 0, 0), STRING("address", NULL), END};
PARAMS(breakpoints_results) = {OBJECTS("breakpoints", NULL), END};
PARAMS(stop_results) = {
	STRING("reason", NULL), OBJECT("signal", NULL), OBJECT("watch", NULL),
	OBJECT("frame", NULL), OBJECTS("source", NULL), OBJECT("moment", NULL),
	STRING("output", NULL), END};
PARAMS(threads_results) = {OBJECTS("threads", NULL), END};
PARAMS(frames_results) = {OBJECTS("frames", NULL), END};
PARAMS(evaluate_results) = {OBJECTS("results", NULL), STRING("value", NULL), END};
PARAMS(locals_results) = {OBJECTS("variables", NULL), END};
PARAMS(memory_results) = {STRING("address", NULL), STRING("contents", NULL), END};
PARAMS(registers_results) = {OBJECT("registers", NULL), END};
PARAMS(source_results) = {STRING("file", NULL), OBJECTS("lines", NULL), END};
PARAMS(sessions_results) = {OBJECTS("sessions", NULL), END};
PARAMS(interrupt_results) = {STRING("session", NULL), BOOLEAN("interrupted", NULL), END};
PARAMS(crash_results) = {
	OBJECT("signal", NULL), OBJECT("moment", NULL), OBJECTS("frames", NULL),
	OBJECT("fault", NULL), OBJECTS("threads", NULL), STRING("output", NULL), END};
PARAMS(change_results) = {
	OBJECT("moment", NULL), OBJECT("frame", NULL), STRING("old", NULL), STRING("new", NULL), END};

#define TOOL(name, title, description, params, results, annotations) \
	{name, title, description, params, results, annotations, NULL}
#define READS  (MCP_READ_ONLY | MCP_IDEMPOTENT)
#define MOVES  0

const struct mcp_tool tools_shown[TOOL_COUNT] = {
	[TOOL_RECORD] = TOOL("rr_record", "Record a program",
		"Runs a program under rr and keeps a trace of the run to replay. First step when a failure can be reproduced. Answers trace_dir, how it ended and its output.",
		record_args, record_results, MCP_DESTRUCTIVE | MCP_OPEN_WORLD),
	[TOOL_RECORD_UNTIL] = TOOL("rr_record_until", "Record until it fails",
		"Records a flaky program again and again until it fails, keeps that trace and removes the others.",
		until_args, until_results, MCP_DESTRUCTIVE | MCP_OPEN_WORLD),
	[TOOL_REPLAY_START] = TOOL("rr_replay_start", "Open a replay session",
		"Opens a trace for debugging, stopped at its start. Several sessions may be open at once.",
		start_args, start_results, MOVES),
	[TOOL_REPLAY_STOP] = TOOL("rr_replay_stop", "Close a session",
		"Ends a session and its processes. The trace stays.",
		only_session, stop_session_results, MCP_IDEMPOTENT),
	[TOOL_LIST_RECORDINGS] = TOOL("rr_list_recordings", "List traces",
		"Traces on this machine with date, size and command.",
		list_args, list_results, READS),
	[TOOL_PS] = TOOL("rr_ps", "Processes of a trace",
		"The processes in a trace and how each ended; to choose a pid for rr_replay_start.",
		only_trace, ps_results, READS),
	[TOOL_TRACEINFO] = TOOL("rr_traceinfo", "About a trace",
		"A trace's metadata: when and where it was recorded, with what rr and processor.",
		only_trace, any_results, READS),
	[TOOL_RM] = TOOL("rr_rm", "Delete a trace",
		"Deletes a trace for good.",
		only_trace, any_results, MCP_DESTRUCTIVE),
	[TOOL_PACK] = TOOL("rr_pack", "Make a trace portable",
		"Copies every file a trace needs into it, so that it outlives rebuilds of the program.",
		only_trace, any_results, MCP_IDEMPOTENT),
	[TOOL_EXPORT] = TOOL("rr_export", "Export a trace",
		"Packs a trace and writes it as one tar file, to replay on another machine with the same kind of processor.",
		export_args, any_results, 0),
	[TOOL_IMPORT] = TOOL("rr_import", "Import a trace",
		"Checks an exported trace and unpacks it among the traces here. Answers trace_dir.",
		import_args, any_results, 0),
	[TOOL_WHEN] = TOOL("rr_when", "Where in time",
		"The moment the session stands at: event, ticks, thread.",
		only_session, moment_results, READS),
	[TOOL_BREAKPOINT_SET] = TOOL("rr_breakpoint_set", "Set a breakpoint",
		"Breaks at a location in both directions of time. A location that resolves nowhere is an error with near names.",
		breakpoint_args, breakpoint_results, MOVES),
	[TOOL_BREAKPOINT_REMOVE] = TOOL("rr_breakpoint_remove", "Remove a breakpoint",
		"Removes a breakpoint or watchpoint.",
		breakpoint_number_args, any_results, MCP_IDEMPOTENT),
	[TOOL_BREAKPOINT_LIST] = TOOL("rr_breakpoint_list", "List breakpoints",
		"Breakpoints and watchpoints with their hits.",
		only_session, breakpoints_results, READS),
	[TOOL_WATCHPOINT_SET] = TOOL("rr_watchpoint_set", "Set a watchpoint",
		"Stops where memory is written or read; with rr_continue reverse=true it finds who wrote a bad value. rr_last_change does both at once.",
		watch_args, breakpoint_results, MOVES),
	[TOOL_CONTINUE] = TOOL("rr_continue", "Run",
		"Runs to the next breakpoint, watchpoint, signal or end, or back to the one before. Answers the whole stop: reason, frame, source, moment, output.",
		continue_args, stop_results, MOVES),
	[TOOL_STEP] = TOOL("rr_step", "Step into", "Steps by lines or instructions, into calls, in either direction.",
		step_args, stop_results, MOVES),
	[TOOL_NEXT] = TOOL("rr_next", "Step over", "Steps by lines or instructions, over calls, in either direction.",
		step_args, stop_results, MOVES),
	[TOOL_FINISH] = TOOL("rr_finish", "Run out of a function",
		"Runs until the current function returns, with its value; in reverse, back to its call.",
		finish_args, stop_results, MOVES),
	[TOOL_RUN_TO_EVENT] = TOOL("rr_run_to_event", "Go to an event", "Moves to an rr event, before or after now.",
		run_to_args, stop_results, MOVES),
	[TOOL_THREAD_LIST] = TOOL("rr_thread_list", "List threads", "The threads and where each stands.",
		only_session, threads_results, READS),
	[TOOL_THREAD_SELECT] = TOOL("rr_thread_select", "Select a thread", "Inspection then speaks of this thread.",
		thread_args, any_results, MCP_IDEMPOTENT),
	[TOOL_SELECT_FRAME] = TOOL("rr_select_frame", "Select a frame",
		"rr_locals and rr_evaluate then speak of this frame.",
		frame_args, any_results, MCP_IDEMPOTENT),
	[TOOL_BACKTRACE] = TOOL("rr_backtrace", "Backtrace", "The call stack, innermost first.",
		backtrace_args, frames_results, READS),
	[TOOL_EVALUATE] = TOOL("rr_evaluate", "Evaluate", "Values of expressions in the selected frame, without side effects.",
		evaluate_args, evaluate_results, READS),
	[TOOL_LOCALS] = TOOL("rr_locals", "Local variables", "All local variables of the selected frame.",
		locals_args, locals_results, READS),
	[TOOL_READ_MEMORY] = TOOL("rr_read_memory", "Read memory", "Raw bytes at an address.",
		memory_args, memory_results, READS),
	[TOOL_REGISTERS] = TOOL("rr_registers", "Registers", "Processor registers of the selected thread.",
		register_args, registers_results, READS),
	[TOOL_SOURCE_LINES] = TOOL("rr_source_lines", "Source", "Source around a line, or around where the program stands.",
		source_args, source_results, READS),
	[TOOL_CHECKPOINT_SAVE] = TOOL("rr_checkpoint_save", "Save a checkpoint", "Marks this moment to come back to with rr_checkpoint_restore.",
		only_session, any_results, MOVES),
	[TOOL_CHECKPOINT_RESTORE] = TOOL("rr_checkpoint_restore", "Back to a checkpoint", "Moves to a saved checkpoint.",
		checkpoint_args, stop_results, MOVES),
	[TOOL_CHECKPOINT_LIST] = TOOL("rr_checkpoint_list", "List checkpoints", "Saved checkpoints and their moments.",
		only_session, any_results, READS),
	[TOOL_CHECKPOINT_DELETE] = TOOL("rr_checkpoint_delete", "Delete a checkpoint", "Deletes a checkpoint.",
		checkpoint_args, any_results, MCP_IDEMPOTENT),
	[TOOL_SESSIONS] = TOOL("rr_sessions", "List sessions", "Open sessions: trace, position, state, age.",
		no_args, sessions_results, READS),
	[TOOL_STATUS] = TOOL("rr_status", "Server status",
		"Versions of rr and gdb, performance counters, sandbox, limits, and what to mend. Look here when recording or replaying fails.",
		no_args, any_results, READS),
	[TOOL_GOTO] = TOOL("rr_goto", "Go to a moment", "Moves to an event, an event:ticks moment as answers give it, the start or the end.",
		goto_args, stop_results, MOVES),
	[TOOL_INTERRUPT] = TOOL("rr_interrupt", "Interrupt",
		"Stops a command that runs in a session, from a second call; that command then answers where it stands.",
		only_session, interrupt_results, MCP_IDEMPOTENT),
	[TOOL_CRASH_REPORT] = TOOL("rr_crash_report", "Crash report",
		"First look at a crash, in one call: answers signal, fault, frames with locals, source, threads, output. A session just opened then stands there.",
		crash_args, crash_results, MOVES),
	[TOOL_LAST_CHANGE] = TOOL("rr_last_change", "Who wrote this",
		"Finds the last write to an expression's memory before now: the writer's frame, old and new value. The way from a bad value to its cause.",
		change_args, change_results, MOVES),
	[TOOL_GDB_COMMAND] = TOOL("rr_gdb_command", "Raw gdb command", "Passes one command to gdb. Off unless the server allows it.",
		gdb_args, any_results, MCP_DESTRUCTIVE | MCP_OPEN_WORLD),
};

const struct tool_route tools_routed[TOOL_COUNT] = {
	[TOOL_RECORD] = {HANDLE_RECORD, WIRE_OP_RECORD, DEADLINE_RECORD, SETTING_RECORD},
	[TOOL_RECORD_UNTIL] = {HANDLE_RECORD, WIRE_OP_RECORD_UNTIL, DEADLINE_ATTEMPTS, SETTING_RECORD},
	[TOOL_REPLAY_START] = {HANDLE_OPEN, WIRE_OP_REPLAY_START, DEADLINE_OPEN, -1},
	[TOOL_REPLAY_STOP] = {HANDLE_STOP, 0, DEADLINE_NONE, -1},
	[TOOL_LIST_RECORDINGS] = {HANDLE_QUERY, WIRE_OP_LIST_RECORDINGS, DEADLINE_STARTUP, -1},
	[TOOL_PS] = {HANDLE_QUERY, WIRE_OP_PS, DEADLINE_STARTUP, -1},
	[TOOL_TRACEINFO] = {HANDLE_QUERY, WIRE_OP_TRACEINFO, DEADLINE_STARTUP, -1},
	[TOOL_RM] = {HANDLE_QUERY, WIRE_OP_RM, DEADLINE_STARTUP, -1},
	[TOOL_PACK] = {HANDLE_QUERY, WIRE_OP_PACK, DEADLINE_REVERSE, -1},
	[TOOL_EXPORT] = {HANDLE_QUERY, WIRE_OP_EXPORT, DEADLINE_REVERSE, -1},
	[TOOL_IMPORT] = {HANDLE_QUERY, WIRE_OP_IMPORT, DEADLINE_REVERSE, -1},
	[TOOL_WHEN] = {HANDLE_SESSION, WIRE_OP_WHEN, DEADLINE_EVAL, -1},
	[TOOL_BREAKPOINT_SET] = {HANDLE_SESSION, WIRE_OP_BREAKPOINT_SET, DEADLINE_BREAKPOINT, -1},
	[TOOL_BREAKPOINT_REMOVE] = {HANDLE_SESSION, WIRE_OP_BREAKPOINT_REMOVE, DEADLINE_BREAKPOINT, -1},
	[TOOL_BREAKPOINT_LIST] = {HANDLE_SESSION, WIRE_OP_BREAKPOINT_LIST, DEADLINE_BREAKPOINT, -1},
	[TOOL_WATCHPOINT_SET] = {HANDLE_SESSION, WIRE_OP_WATCHPOINT_SET, DEADLINE_BREAKPOINT, -1},
	[TOOL_CONTINUE] = {HANDLE_SESSION, WIRE_OP_CONTINUE, DEADLINE_DIRECTION, -1},
	[TOOL_STEP] = {HANDLE_SESSION, WIRE_OP_STEP, DEADLINE_DIRECTION, -1},
	[TOOL_NEXT] = {HANDLE_SESSION, WIRE_OP_NEXT, DEADLINE_DIRECTION, -1},
	[TOOL_FINISH] = {HANDLE_SESSION, WIRE_OP_FINISH, DEADLINE_DIRECTION, -1},
	[TOOL_RUN_TO_EVENT] = {HANDLE_SESSION, WIRE_OP_RUN_TO_EVENT, DEADLINE_FORWARD, -1},
	[TOOL_THREAD_LIST] = {HANDLE_SESSION, WIRE_OP_THREAD_LIST, DEADLINE_EVAL, -1},
	[TOOL_THREAD_SELECT] = {HANDLE_SESSION, WIRE_OP_THREAD_SELECT, DEADLINE_EVAL, -1},
	[TOOL_SELECT_FRAME] = {HANDLE_SESSION, WIRE_OP_SELECT_FRAME, DEADLINE_EVAL, -1},
	[TOOL_BACKTRACE] = {HANDLE_SESSION, WIRE_OP_BACKTRACE, DEADLINE_EVAL, -1},
	[TOOL_EVALUATE] = {HANDLE_SESSION, WIRE_OP_EVALUATE, DEADLINE_EVAL, -1},
	[TOOL_LOCALS] = {HANDLE_SESSION, WIRE_OP_LOCALS, DEADLINE_EVAL, -1},
	[TOOL_READ_MEMORY] = {HANDLE_SESSION, WIRE_OP_READ_MEMORY, DEADLINE_EVAL, -1},
	[TOOL_REGISTERS] = {HANDLE_SESSION, WIRE_OP_REGISTERS, DEADLINE_EVAL, -1},
	[TOOL_SOURCE_LINES] = {HANDLE_SESSION, WIRE_OP_SOURCE_LINES, DEADLINE_EVAL, -1},
	[TOOL_CHECKPOINT_SAVE] = {HANDLE_SESSION, WIRE_OP_CHECKPOINT_SAVE, DEADLINE_EVAL, -1},
	[TOOL_CHECKPOINT_RESTORE] = {HANDLE_SESSION, WIRE_OP_CHECKPOINT_RESTORE, DEADLINE_FORWARD, -1},
	[TOOL_CHECKPOINT_LIST] = {HANDLE_SESSION, WIRE_OP_CHECKPOINT_LIST, DEADLINE_EVAL, -1},
	[TOOL_CHECKPOINT_DELETE] = {HANDLE_SESSION, WIRE_OP_CHECKPOINT_DELETE, DEADLINE_EVAL, -1},
	[TOOL_SESSIONS] = {HANDLE_SESSIONS, 0, DEADLINE_NONE, -1},
	[TOOL_STATUS] = {HANDLE_QUERY, WIRE_OP_STATUS, DEADLINE_STARTUP, -1},
	[TOOL_GOTO] = {HANDLE_SESSION, WIRE_OP_GOTO, DEADLINE_REVERSE, -1},
	[TOOL_INTERRUPT] = {HANDLE_INTERRUPT, 0, DEADLINE_NONE, -1},
	[TOOL_CRASH_REPORT] = {HANDLE_EITHER, WIRE_OP_CRASH_REPORT, DEADLINE_REVERSE, -1},
	[TOOL_LAST_CHANGE] = {HANDLE_SESSION, WIRE_OP_LAST_CHANGE, DEADLINE_REVERSE, -1},
	[TOOL_GDB_COMMAND] = {HANDLE_SESSION, WIRE_OP_GDB_COMMAND, DEADLINE_REVERSE, SETTING_GDB_COMMANDS},
};
/* clang-format on */
