/*
 * The operations of a worker, made from the rows of sandbox/wire/tools.def: which function answers
 * each, and how its arguments reach their struct.
 */
#include "worker/serve/handlers.h"

#include <string.h>
#include "worker/serve/arguments/arguments.h"
#include "worker/serve/arguments/harmless.h"
#include "worker/gdb/exchange.h"
#include "worker/session/core.h"
#include "worker/session/replay.h"

#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	static const char *const names_of_##name[] = {
#define ARG(type, name, required, absent, min, max, choices, help) #name,
#define END_TOOL                                                                                   \
	NULL                                                                                       \
	}                                                                                          \
	;
#include "sandbox/wire/tools.def"

/* All enums of choices are unsigned to the compiler. */
#define BIND_STRING(name, row)	    argument_string(row, &args->name, failure)
#define BIND_EXPRESSION(name, row)  argument_string(row, &args->name, failure)
#define BIND_EXPRESSIONS(name, row) argument_texts(row, &args->name, failure)
#define BIND_LOCATION(name, row)    argument_string(row, &args->name, failure)
#define BIND_INTEGER(name, row)	    argument_integer(row, &args->name, failure)
#define BIND_NUMBER(name, row)	    argument_number(row, &args->name, failure)
#define BIND_FLAG(name, row)	    argument_flag(row, &args->name, failure)
#define BIND_CHOICE(name, row)	    argument_choice(row, (unsigned *)&args->name, failure)
#define BIND_TEXTS(name, row)	    argument_texts(row, &args->name, failure)
#define BIND_TEXT_MAP(name, row)    argument_text_map(row, &args->name, failure)
#define BIND_OBJECTS(name, row)	    argument_objects(row, &args->name, failure)
#define L(list)                                                                                    \
	_Static_assert(_Generic((enum list)0, unsigned : 1, default : 0), "see BIND_CHOICE");
TOOL_CHOICES(L)
#undef L

/* Unused for the tools that no worker answers. */
#define choices_none NULL
#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	__attribute__((unused)) static bool bind_##name(                                           \
	    const json_t *given, struct name##_args *args, struct failure *failure)                \
	{                                                                                          \
		args->given = given;                                                               \
		return arguments_are_known(given, names_of_##name, failure)
#define ARG(type, name, required, absent, min, max, choices, help)                                 \
	&&BIND_##type(name,                                                                        \
	    ((struct argument){given, #name, required, absent, min, max, choices_##choices}))
#define END_TOOL                                                                                   \
	;                                                                                          \
	}
#include "sandbox/wire/tools.def"

static bool is_started(const struct worker *worker, struct failure *failure)
{
	if (!worker->replay)
		failure_set(failure, ERROR_NO_SESSION, "start one with rr_replay_start",
		    "this session has not been started");
	return worker->replay;
}

/* What works in the session of a core file too. */
static const struct {
	const char *tool;
	bool still;
} moments[] = {
#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	{                                                                                          \
		.tool = #name
#define STILL , .still = true
#define END_TOOL                                                                                   \
	}                                                                                          \
	,
#include "sandbox/wire/tools.def"
};

static bool is_still(const char *tool)
{
	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments); i++)
		if (strcmp(moments[i].tool, tool) == 0)
			return moments[i].still;
	return false;
}

/* A core file has one moment: no tool goes to another one, and none runs the program. */
static bool has_time(
    const struct worker *worker, const char *tool, const json_t *given, struct failure *failure)
{
	const struct core *core = replay_core(worker->replay);
	const char *what = !is_still(tool)		  ? "this tool"
			   : json_object_get(given, "at") ? "another moment"
			   : json_is_true(json_object_get(given, "allow_calls"))
			       ? "a call of the program's functions"
			       : NULL;

	if (!core || (!what && !core_has_changed(core, failure)))
		return true;
	if (what)
		failure_set(failure, ERROR_UNSUPPORTED,
		    "record the program with rr_record to go back in time",
		    "a core file has one moment, and %s needs a recording", what);
	return false;
}

/* What gdb warned of while it worked for an answer stands beside it. */
static json_t *with_warnings(struct worker *worker, json_t *answer, struct failure *failure)
{
	json_t *warnings = worker->replay && replay_gdb(worker->replay)
			       ? exchange_take_warnings(gdb_exchange(replay_gdb(worker->replay)))
			       : NULL;

	if (!warnings)
		return answer;
	if (!answer && !failure->details)
		failure->details = json_object();
	json_t *to = answer ? answer : failure->details, *before = json_object_get(to, "warnings");
	if (before) {
		json_array_extend(before, warnings);
		json_decref(warnings);
	} else {
		json_object_set_new(to, "warnings", warnings);
	}
	return answer;
}

static json_t *as_it_is(struct worker *worker, json_t *answer, struct failure *failure)
{
	(void)worker;
	(void)failure;
	return answer;
}

/* Those of what came before say nothing about this call. */
static bool forget_warnings(struct worker *worker)
{
	json_decref(exchange_take_warnings(gdb_exchange(replay_gdb(worker->replay))));
	return true;
}

#define CALL(name, of, may, with)                                                                  \
	static json_t *call_##name(                                                                \
	    struct worker *worker, const json_t *given, struct failure *failure)                   \
	{                                                                                          \
		struct name##_args args = {0};                                                     \
		return (may) && bind_##name(given, &args, failure)                                 \
			   ? with(worker, tool_##name(of, &args, failure), failure)                \
			   : NULL;                                                                 \
	}
/* Their arguments go to gdb. */
#define CALL_SESSION(name)                                                                         \
	CALL(name, worker->replay,                                                                 \
	    harmless_arguments(#name, given, failure) && is_started(worker, failure) &&            \
		has_time(worker, #name, given, failure) && forget_warnings(worker),                \
	    with_warnings)
#define CALL_OPEN(name)	  CALL(name, worker, true, as_it_is)
#define CALL_EITHER(name) CALL_SESSION(name)
#define CALL_RECORD(name) CALL_OPEN(name)
#define CALL_QUERY(name)  CALL_OPEN(name)
/* Its probes go to gdb. */
#define CALL_COMPARE(name) CALL(name, worker, harmless_arguments(#name, given, failure), as_it_is)
#define CALL_HERE(name)
#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	CALL_##handler(name)
#include "sandbox/wire/tools.def"

#define ROW_SESSION(operation, name) {operation, WORKER_REPLAY, call_##name},
#define ROW_OPEN(operation, name)    {operation, WORKER_REPLAY, call_##name},
#define ROW_EITHER(operation, name)  {operation, WORKER_REPLAY, call_##name},
#define ROW_RECORD(operation, name)  {operation, WORKER_RECORD, call_##name},
#define ROW_QUERY(operation, name)   {operation, WORKER_QUERY, call_##name},
#define ROW_COMPARE(operation, name) {operation, WORKER_COMPARE, call_##name},
#define ROW_HERE(operation, name)
static const struct op ops[] = {
#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	ROW_##handler(operation, name)
#include "sandbox/wire/tools.def"
};

const struct op *op_find(uint32_t type)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (ops[i].type == type)
			return &ops[i];
	return NULL;
}
