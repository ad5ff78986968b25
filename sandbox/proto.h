#ifndef SANDBOX_PROTO_H
#define SANDBOX_PROTO_H
/*
 * The wire between supervisor and worker: the one thing that both sides share.
 *
 * SOCK_SEQPACKET, CLOEXEC, NONBLOCK. A packet is this header and then `len` bytes of compact JSON:
 *
 *	u32 type	even: supervisor to worker; odd: worker to supervisor
 *	u32 id		chosen by the supervisor, echoed by the worker; 0 where nothing is answered
 *	u32 len		bytes of JSON that follow, at most WIRE_JSON_MAX
 *	u32 flags	WIRE_FLAG_*
 *
 * all in host byte order: the two ends are one machine.
 *
 * The supervisor sends one operation at a time to a worker (WIRE_OP_*), and beside it only
 * WIRE_INTERRUPT and WIRE_STOP. The worker answers an operation `type` with exactly one packet of
 * type `type + 1` and the same id, before which any number of WIRE_PROGRESS and at most one
 * WIRE_STATE may stand. JSON of an answer: the result object (the tool's structuredContent); with
 * WIRE_FLAG_ERROR it is {"code","message","hint"} and whatever else the answer to the client is to
 * carry ("moment", "frame", ...).
 */
#include <stdint.h>

#define WIRE_JSON_MAX	(64 * 1024) /* larger packets fail with EMSGSIZE on default buffers */
#define WIRE_RESULT_MAX (40 * 1024) /* a result: clients cut or refuse what is longer */
#define WIRE_DEPTH_MAX	32	    /* nesting of any JSON on the wire */

struct wire_header {
	uint32_t type;
	uint32_t id;
	uint32_t len;
	uint32_t flags;
};

#define WIRE_FLAG_ERROR 1u /* the answer is an error object */

/*
 * Operations: X(NAME, even number, tool name or NULL when no tool maps to it directly, worker
 * kind). The JSON of a request is {"args": the tool's validated arguments}; of WIRE_START see
 * below.
 */
#define WIRE_OPERATIONS(X)                                                                         \
	X(START, 2, NULL, ANY)                                                                     \
	X(REPLAY_START, 10, "rr_replay_start", REPLAY)                                             \
	X(WHEN, 12, "rr_when", REPLAY)                                                             \
	X(BREAKPOINT_SET, 14, "rr_breakpoint_set", REPLAY)                                         \
	X(BREAKPOINT_REMOVE, 16, "rr_breakpoint_remove", REPLAY)                                   \
	X(BREAKPOINT_LIST, 18, "rr_breakpoint_list", REPLAY)                                       \
	X(WATCHPOINT_SET, 20, "rr_watchpoint_set", REPLAY)                                         \
	X(CONTINUE, 22, "rr_continue", REPLAY)                                                     \
	X(STEP, 24, "rr_step", REPLAY)                                                             \
	X(NEXT, 26, "rr_next", REPLAY)                                                             \
	X(FINISH, 28, "rr_finish", REPLAY)                                                         \
	X(RUN_TO_EVENT, 30, "rr_run_to_event", REPLAY)                                             \
	X(THREAD_LIST, 32, "rr_thread_list", REPLAY)                                               \
	X(THREAD_SELECT, 34, "rr_thread_select", REPLAY)                                           \
	X(SELECT_FRAME, 36, "rr_select_frame", REPLAY)                                             \
	X(BACKTRACE, 38, "rr_backtrace", REPLAY)                                                   \
	X(EVALUATE, 40, "rr_evaluate", REPLAY)                                                     \
	X(LOCALS, 42, "rr_locals", REPLAY)                                                         \
	X(READ_MEMORY, 44, "rr_read_memory", REPLAY)                                               \
	X(REGISTERS, 46, "rr_registers", REPLAY)                                                   \
	X(SOURCE_LINES, 48, "rr_source_lines", REPLAY)                                             \
	X(CHECKPOINT_SAVE, 50, "rr_checkpoint_save", REPLAY)                                       \
	X(CHECKPOINT_RESTORE, 52, "rr_checkpoint_restore", REPLAY)                                 \
	X(CHECKPOINT_LIST, 54, "rr_checkpoint_list", REPLAY)                                       \
	X(CHECKPOINT_DELETE, 56, "rr_checkpoint_delete", REPLAY)                                   \
	X(GOTO, 58, "rr_goto", REPLAY)                                                             \
	X(LAST_CHANGE, 60, "rr_last_change", REPLAY)                                               \
	X(CRASH_REPORT, 62, "rr_crash_report", REPLAY)                                             \
	X(GDB_COMMAND, 64, "rr_gdb_command", REPLAY)                                               \
	X(RECORD, 110, "rr_record", RECORD)                                                        \
	X(RECORD_UNTIL, 112, "rr_record_until", RECORD)                                            \
	X(LIST_RECORDINGS, 130, "rr_list_recordings", QUERY)                                       \
	X(PS, 132, "rr_ps", QUERY)                                                                 \
	X(TRACEINFO, 134, "rr_traceinfo", QUERY)                                                   \
	X(RM, 136, "rr_rm", QUERY)                                                                 \
	X(PACK, 140, "rr_pack", QUERY)                                                             \
	X(EXPORT, 142, "rr_export", QUERY)                                                         \
	X(IMPORT, 144, "rr_import", QUERY)                                                         \
	X(STATUS, 138, NULL, QUERY)

enum wire_type {
#define X(name, number, tool, kind) WIRE_OP_##name = (number),
	WIRE_OPERATIONS(X)
#undef X
	    WIRE_INTERRUPT = 200, /* {"reason": "timeout"|"cancelled"|"asked"}; not answered itself:
				     the running operation is */
	WIRE_STOP = 202,	  /* {}: end the tools and exit 0; answered by the worker's end */
	WIRE_PROGRESS =
	    301,	  /* {"progress": n, "total"?: n, "message"?: text}; id of the operation */
	WIRE_STATE = 303, /* the session as data (see below); replaces the one before */
	WIRE_VIOLATION = 305, /* {"syscall": number}, id 0: what seccomp killed the worker for; its
				 last packet (see sandbox_syscall_name) */
};

enum worker_kind { WORKER_ANY, WORKER_REPLAY, WORKER_RECORD, WORKER_QUERY };

/* clang-format off */
/*
 * WIRE_OP_START, the first packet to every worker, with all it may know:
 *	{"kind": "replay"|"record"|"query",
 *	 "rr": path, "gdb": path, "softpmu": path or "", "pmu": "auto"|"hardware"|"software",
 *	 "timeouts": {"startup", "connect", "forward", "reverse", "breakpoint", "eval", "record"},
 *		seconds; 0: none
 *	 "limits": {"memory", "output", "processes", "trace_bytes", "free_disk", "cpu_seconds"},
 *		bytes, seconds, numbers; 0: no limit
 *	 "roots": [directories that traces may be under; empty: any],
 *	 "directories": [directories a recorded program may be started in; empty: any],
 *	 "commands": [fnmatch patterns of the programs that may be recorded; empty: any],
 *	 "read_only", "read_write": [directories the launcher left visible, for the tools' Landlock],
 *	 "allow_calls": bool, "allow_gdb_command": bool,
 *	 "sandbox": {layer: "require"|"prefer"|"off"},
 *	 "sandbox_report": {layer: "full"|"off"|why it is degraded; as the launcher got it}}
 * Where new traces go by default is in the environment, as rr has it (_RR_TRACE_DIR).
 * Answer: {"pid": n, "sandbox": {"level": ..., "layers": {...}}}.
 *
 * WIRE_OP_REPLAY_START carries {"args": ..., "restore"?: a WIRE_STATE object}: with it the worker
 * brings the session to that stop, with its breakpoints, checkpoints, thread and frame, before it
 * answers. WIRE_STATE JSON, made by the worker after each operation that changed it:
 *	{"trace_dir", "pid", "fork_pid"?: bool, "moment": {event, ticks, tid}, "selected_tid", "frame",
 *	 "breakpoints": [...], "checkpoints": [...]}
 * at most WIRE_STATE_MAX; opaque to the supervisor but for "moment".
 */
/* clang-format on */
#define WIRE_STATE_MAX (32 * 1024)

/* The worker's end of the socketpair, from exec on. */
#define WORKER_CHANNEL_FD 3

/* How a worker ends that has lost rr or gdb: whatever it had taken it has answered before. */
#define WORKER_EXIT_LOST 3

/* Error codes of answers to the client; the text of each is its stable name. */
#define ERROR_CODES(X)                                                                             \
	X(INVALID_ARGUMENT, "invalid_argument")                                                    \
	X(NO_SESSION, "no_session")                                                                \
	X(AMBIGUOUS_SESSION, "ambiguous_session")                                                  \
	X(NOT_FOUND, "not_found")                                                                  \
	X(NOT_ALLOWED, "not_allowed")                                                              \
	X(TIMEOUT, "timeout")                                                                      \
	X(CANCELLED, "cancelled")                                                                  \
	X(WORKER_DIED, "worker_died")                                                              \
	X(SANDBOX_VIOLATION, "sandbox_violation")                                                  \
	X(RR_FAILED, "rr_failed")                                                                  \
	X(GDB_FAILED, "gdb_failed")                                                                \
	X(LIMIT, "limit")                                                                          \
	X(UNSUPPORTED, "unsupported")                                                              \
	X(INTERNAL, "internal")

enum error_code {
#define X(name, text) ERROR_##name,
	ERROR_CODES(X)
#undef X
	    ERROR_CODE_COUNT
};

#endif
