/*
 * The table of operations and the first of them, WIRE_OP_START: what this worker is to be.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "worker/breakpoints.h"
#include "worker/checkpoints.h"
#include "worker/execution.h"
#include "worker/frames.h"
#include "worker/investigate.h"
#include "worker/memory.h"
#include "worker/ops.h"
#include "worker/confine.h"
#include "worker/query.h"
#include "worker/record.h"
#include "worker/replay.h"
#include "worker/scrub.h"
#include "worker/source.h"
#include "worker/transport.h"
#include "worker/values.h"

static const char *const start_strings[] = {"kind", "rr", "gdb", "softpmu", "pmu"};

static enum worker_kind kind_from_name(const char *name)
{
	if (strcmp(name, "replay") == 0)
		return WORKER_REPLAY;
	if (strcmp(name, "record") == 0)
		return WORKER_RECORD;
	if (strcmp(name, "query") == 0)
		return WORKER_QUERY;
	return WORKER_ANY;
}

static char *copy_string(json_t *args, const char *key)
{
	const char *text = json_string_value(json_object_get(args, key));

	return strdup(text ? text : "");
}

static json_t *keep(json_t *args, const char *key, bool array)
{
	json_t *value = json_object_get(args, key);

	if (value && (array ? json_is_array(value) : json_is_object(value)))
		return json_incref(value);
	return array ? json_array() : json_object();
}

/* "full" when every layer of the report is, "off" when every one is off, else "degraded". */
json_t *op_sandbox_summary(const struct worker_config *config)
{
	json_t *report = config->sandbox_report;
	size_t full = 0, off = 0, count = json_object_size(report);
	const char *layer, *level = "degraded";
	json_t *got;

	json_object_foreach(report, layer, got)
	{
		const char *text = json_string_value(got);
		full += text && strcmp(text, "full") == 0;
		off += text && strcmp(text, "off") == 0;
	}
	if (off == count)
		level = "off";
	else if (full == count)
		level = "full";
	return json_pack("{s:s,s:O}", "level", level, "layers", report);
}

static void start(struct worker *worker, json_t *args, struct op_reply *reply)
{
	struct worker_config *config = &worker->config;

	if (config->kind != WORKER_ANY) {
		op_fail(reply, ERROR_INTERNAL, NULL, "the worker is started already");
		return;
	}
	for (size_t i = 0; i < sizeof(start_strings) / sizeof(*start_strings); i++) {
		json_t *value = json_object_get(args, start_strings[i]);
		if (value && !json_is_string(value)) {
			op_fail(reply, ERROR_INTERNAL, NULL, "%s must be text", start_strings[i]);
			return;
		}
	}
	*config = (struct worker_config){
	    .rr = copy_string(args, "rr"),
	    .gdb = copy_string(args, "gdb"),
	    .softpmu = copy_string(args, "softpmu"),
	    .pmu = copy_string(args, "pmu"),
	    .timeouts = keep(args, "timeouts", false),
	    .limits = keep(args, "limits", false),
	    .roots = keep(args, "roots", true),
	    .directories = keep(args, "directories", true),
	    .commands = keep(args, "commands", true),
	    .read_only = keep(args, "read_only", true),
	    .read_write = keep(args, "read_write", true),
	    .sandbox = keep(args, "sandbox", false),
	    .sandbox_report = keep(args, "sandbox_report", false),
	    .allow_calls = json_is_true(json_object_get(args, "allow_calls")),
	    .allow_gdb_command = json_is_true(json_object_get(args, "allow_gdb_command")),
	};
	const char *kind = json_string_value(json_object_get(args, "kind"));
	config->kind = kind_from_name(kind ? kind : "");
	if (config->kind == WORKER_ANY)
		op_fail(reply, ERROR_INTERNAL, NULL, "kind must be replay, record or query");
	else if (config->kind != WORKER_QUERY ||
		 worker_confine(worker, ROLE_QUERY, NULL, (int[]){-1}, reply))
		reply->result = json_pack(
		    "{s:i,s:o}", "pid", (int)getpid(), "sandbox", op_sandbox_summary(config));
}

const struct op worker_ops[] = {
    {WIRE_OP_START, WORKER_ANY,
	"kind rr gdb softpmu pmu timeouts limits roots directories commands read_only read_write "
	"allow_calls "
	"allow_gdb_command sandbox "
	"sandbox_report",
	start},
    {WIRE_OP_REPLAY_START, WORKER_REPLAY, "trace_dir pid fork_pid at", replay_start},
    {WIRE_OP_WHEN, WORKER_REPLAY, "", position_when},
    {WIRE_OP_BREAKPOINT_SET, WORKER_REPLAY, "location condition temporary ignore_count thread",
	breakpoints_set},
    {WIRE_OP_BREAKPOINT_REMOVE, WORKER_REPLAY, "breakpoint_number", breakpoints_remove},
    {WIRE_OP_BREAKPOINT_LIST, WORKER_REPLAY, "", breakpoints_list},
    {WIRE_OP_WATCHPOINT_SET, WORKER_REPLAY, "expression access_type location condition",
	watchpoints_set},
    {WIRE_OP_CONTINUE, WORKER_REPLAY, "reverse count until", execution_continue},
    {WIRE_OP_STEP, WORKER_REPLAY, "count reverse unit", execution_step},
    {WIRE_OP_NEXT, WORKER_REPLAY, "count reverse unit", execution_next},
    {WIRE_OP_FINISH, WORKER_REPLAY, "reverse function", execution_finish},
    {WIRE_OP_RUN_TO_EVENT, WORKER_REPLAY, "event_number", execution_run_to_event},
    {WIRE_OP_THREAD_LIST, WORKER_REPLAY, "", frames_thread_list},
    {WIRE_OP_THREAD_SELECT, WORKER_REPLAY, "thread_id", frames_thread_select},
    {WIRE_OP_SELECT_FRAME, WORKER_REPLAY, "frame_level", frames_select},
    {WIRE_OP_BACKTRACE, WORKER_REPLAY, "max_depth full thread start", frames_backtrace},
    {WIRE_OP_EVALUATE, WORKER_REPLAY, "expression expressions format max_elements allow_calls",
	values_evaluate},
    {WIRE_OP_LOCALS, WORKER_REPLAY, "arguments depth", values_locals},
    {WIRE_OP_READ_MEMORY, WORKER_REPLAY, "address count format", memory_read},
    {WIRE_OP_REGISTERS, WORKER_REPLAY, "register_names", memory_registers},
    {WIRE_OP_SOURCE_LINES, WORKER_REPLAY, "file line count", source_lines},
    {WIRE_OP_CHECKPOINT_SAVE, WORKER_REPLAY, "", checkpoints_save},
    {WIRE_OP_CHECKPOINT_RESTORE, WORKER_REPLAY, "checkpoint_id", checkpoints_restore},
    {WIRE_OP_CHECKPOINT_LIST, WORKER_REPLAY, "", checkpoints_list},
    {WIRE_OP_CHECKPOINT_DELETE, WORKER_REPLAY, "checkpoint_id", checkpoints_delete},
    {WIRE_OP_LAST_CHANGE, WORKER_REPLAY, "expression move deadline", investigate_last_change},
    {WIRE_OP_CRASH_REPORT, WORKER_REPLAY, "trace_dir pid move deadline", investigate_crash_report},
    {WIRE_OP_GDB_COMMAND, WORKER_REPLAY, "command", values_gdb_command},
    {WIRE_OP_GOTO, WORKER_REPLAY, "moment", execution_goto},
    {WIRE_OP_RECORD, WORKER_RECORD,
	"command working_directory env trace_dir timeout chaos stdin num_cores output_limit",
	record_run},
    {WIRE_OP_RECORD_UNTIL, WORKER_RECORD,
	"command working_directory env trace_dir timeout chaos stdin num_cores output_limit "
	"attempts fail_when keep",
	record_until},
    {WIRE_OP_LIST_RECORDINGS, WORKER_QUERY, "trace_base_dir offset limit", query_list_recordings},
    {WIRE_OP_PS, WORKER_QUERY, "trace_dir", query_ps},
    {WIRE_OP_TRACEINFO, WORKER_QUERY, "trace_dir", query_traceinfo},
    {WIRE_OP_RM, WORKER_QUERY, "trace_dir", query_rm},
    {WIRE_OP_PACK, WORKER_QUERY, "trace_dir", transport_pack},
    {WIRE_OP_EXPORT, WORKER_QUERY, "trace_dir file", transport_export},
    {WIRE_OP_IMPORT, WORKER_QUERY, "file", transport_import},
    {WIRE_OP_STATUS, WORKER_QUERY, "", query_status},
};

const size_t worker_op_count = sizeof(worker_ops) / sizeof(*worker_ops);

void op_fail(
    struct op_reply *reply, enum error_code code, const char *hint, const char *format, ...)
{
	char message[OP_MESSAGE_MAX];
	va_list list;

	reply->code = code;
	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
	scrub_bytes(reply->message, sizeof(reply->message), message, strlen(message));
	op_hint(reply, hint);
}

void op_hint(struct op_reply *reply, const char *hint)
{
	snprintf(reply->hint, sizeof(reply->hint), "%s", hint ? hint : "");
}
