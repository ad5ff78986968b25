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
 * all in host byte order, because both ends are on one machine.
 *
 * The supervisor sends one operation at a time to a worker (WIRE_OP_*), and beside it only
 * WIRE_INTERRUPT, WIRE_STOP and WIRE_RECORD_INPUT. The worker answers an operation `type` with
 * exactly one packet of type `type + 1` and the same id. Before it may come any number of
 * WIRE_PROGRESS and WIRE_PAGE, and at most one WIRE_STATE. The JSON of an answer is the result (the
 * tool's structuredContent), or with WIRE_FLAG_ERROR {"code","message","hint"} and the other fields
 * that the client's answer gets ("moment", "frame", ...).
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

/* Operations: WIRE_OP_NAME of each tool that a worker answers (see tools.def), and of others 0. The
 * JSON of a request is {"args": the tool's validated arguments, "page"?: true, where the client
 * shows the page that the tool makes}; of WIRE_OP_START see below. */
enum wire_type {
	WIRE_OP_START = 2,
#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	WIRE_OP_##NAME = (operation),
#include "sandbox/wire/tools.def"
	WIRE_INTERRUPT = 200, /* {"reason": "timeout"|"cancelled"|"asked", "signal"?: number for the
				     recorded program}; has no answer of its own: the running
				     operation gets one */
	WIRE_STOP = 202,      /* {}: end the tools and exit 0; answered by the worker's end */
	WIRE_RECORD_INPUT = 204, /* {"text"?, "eof"?: bool}: for the standard input of a program
				    that is recorded in the background. Has an id and an answer like
				    an operation, but is sent while one is out */
	WIRE_PROGRESS = 301, /* {"progress": n, "total"?: n, "message"?: text, "trace_bytes"?: n};
				id of the operation */
	WIRE_BEGUN = 307,    /* a recording in the background has begun: the client's answer. The
					operation stays out until the recording ends */
	WIRE_STATE = 303,    /* the session as data (see below); replaces the one before */
	WIRE_PAGE = 309, /* {"text": ...}: the next part of a page, for a request with "page": true;
			    id of the operation */
	WIRE_VIOLATION = 305, /* {"syscall": number}, id 0: what seccomp killed the worker for; its
				 last packet (see sandbox_syscall_name) */
};

/* WORKER_COMPARE replays two traces for one call. */
enum worker_kind { WORKER_ANY, WORKER_REPLAY, WORKER_RECORD, WORKER_QUERY, WORKER_COMPARE };

/* clang-format off */
/*
 * WIRE_OP_START, the first packet to every worker, from the monitor, with everything that the worker may know:
 *	{"kind": "replay"|"record"|"query"|"compare",
 *	 "rr": path, "gdb": path, "softpmu": path or "", "pmu": "auto"|"hardware"|"software",
 *	 "pmu_why": why it is "software" although the setting is "auto", or "",
 *	 "timeouts": {"startup", "connect", "forward", "reverse", "breakpoint", "eval", "record"},
 *		seconds; 0: none
 *	 "limits": {"memory", "output", "processes", "trace_bytes", "free_disk", "cpu_seconds"},
 *		bytes, seconds, numbers; 0: no limit
 *	 "roots": [directories that traces may be under; empty: any],
 *	 "directories": [directories a recorded program may be started in; empty: any],
 *	 "commands": [fnmatch patterns of the programs that may be recorded; empty: any],
 *	 "variables": [fnmatch patterns of the variables that a call may set, where "commands" limits],
 *	 "read_only", "read_write": [paths that the monitor left visible, for the tools' Landlock],
 *	 "changes": bool, a query that changes a trace or makes one, "probes": bool, one that tries
 *		the counters,
 *	 "unfinished": bool, rr had not closed the trace, "symbols_unsure": bool, whether the files that
 *		the call names as symbols belong to the recording is not known,
 *	 "parents": [directories of which an entry may be removed], "listed": [those that may be listed],
 *	 "in_view": bool, all that is in sight may be read, "compat_abi": bool, the trace has 32-bit
 *		programs, "own_network": bool, a recording has a private network,
 *	 "allow_calls": bool, "allow_gdb_command": bool,
 *	 "sandbox": {layer: "require"|"prefer"|"off"},
 *	 "sandbox_report": {layer: "full"|"off"|why it is degraded; as the monitor got it}}
 * The default directory for new traces is in the environment, in rr's own variable (_RR_TRACE_DIR).
 * Answer: {"pid": n, "sandbox": {"level": ..., "layers": {...}}}.
 *
 * WIRE_OP_REPLAY_START carries {"args": ..., "restore"?: a WIRE_STATE object}: with it the worker
 * brings the session to that stop, with its breakpoints, checkpoints, thread and frame, before it
 * answers. WIRE_STATE JSON, made by the worker after each operation that changed it:
 *	{"trace_dir", "pid", "fork_pid"?: bool, "moment": {event, ticks, tid}, "selected_tid", "frame",
 *	 "breakpoints": [...], "checkpoints": [...], "seen": what names stand for}
 * at most WIRE_STATE_MAX; opaque to the supervisor, except for "moment".
 */
/* clang-format on */
#define WIRE_STATE_MAX (48 * 1024)

/* The id of WIRE_OP_START and its answer: the monitor sends it, before the supervisor has the
 * channel. */
#define WIRE_START_ID UINT32_MAX

/* The worker's end of the socketpair, from exec on. */
#define WORKER_CHANNEL_FD 3

/* The exit status of a worker that has lost rr or gdb. It has answered every operation it took. */
#define WORKER_EXIT_LOST 3

#endif
