/*
 * The constant tables of tools. There is no code here.
 */
#include "supervisor/tools.h"

#include "sandbox/wire/tools.h"
#include "supervisor/app/apps.h"

#define choices_none NULL

/* Arguments. JSON has no bound for a needed text of at least one byte: the worker refuses "". */
#define MIN_STRING(min)	     0
#define MIN_EXPRESSION(min)  0
#define MIN_EXPRESSIONS(min) 0
#define MIN_LOCATION(min)    0
#define MIN_INTEGER(min)     min
#define MIN_NUMBER(min)	     0
#define MIN_FLAG(min)	     0
#define MIN_CHOICE(min)	     0
#define MIN_TEXTS(min)	     min
#define MIN_TEXT_MAP(min)    0
#define MIN_OBJECTS(min)     0
#define TYPE_STRING	     MCP_STRING
#define TYPE_EXPRESSION	     MCP_STRING
#define TYPE_EXPRESSIONS     MCP_STRING_ARRAY
#define TYPE_LOCATION	     MCP_STRING
#define TYPE_INTEGER	     MCP_INTEGER
#define TYPE_NUMBER	     MCP_NUMBER
#define TYPE_FLAG	     MCP_BOOLEAN
#define TYPE_CHOICE	     MCP_STRING
#define TYPE_TEXTS	     MCP_STRING_ARRAY
#define TYPE_TEXT_MAP	     MCP_STRING_MAP
#define TYPE_OBJECT	     MCP_STRING_MAP /* means any object in a result */
#define TYPE_OBJECTS	     MCP_OBJECT_ARRAY

#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	static const struct mcp_param params_of_##name[] = {
#define ARG(type, name, required, absent, min, max, choices, help)                                 \
	{#name, TYPE_##type, required, help, MIN_##type(min), max, choices_##choices},
/* Without a word, because nearly every tool has it; rr_replay_start says what it is. */
#define SESSION_ARG {"session", MCP_STRING, false, NULL, 0, TOOL_TEXT_MAX, NULL},
#define END_TOOL                                                                                   \
	{                                                                                          \
		NULL, MCP_STRING, false, NULL, 0, 0, NULL                                          \
	}                                                                                          \
	}                                                                                          \
	;
#include "sandbox/wire/tools.def"

#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	static const struct mcp_param results_of_##name[] = {
#define RESULT(type, name) {#name, TYPE_##type, false, NULL, 0, 0, NULL},
#define END_TOOL                                                                                   \
	{                                                                                          \
		NULL, MCP_STRING, false, NULL, 0, 0, NULL                                          \
	}                                                                                          \
	}                                                                                          \
	;
#include "sandbox/wire/tools.def"

#define EFFECT_READS	(MCP_READ_ONLY | MCP_IDEMPOTENT)
#define EFFECT_MOVES	0
#define EFFECT_REPEATS	MCP_IDEMPOTENT
#define EFFECT_WRITES	0
#define EFFECT_DESTROYS MCP_DESTRUCTIVE
#define EFFECT_RUNS	(MCP_DESTRUCTIVE | MCP_OPEN_WORLD)

const struct mcp_tool tools_shown[TOOL_COUNT] = {
#define TOOL(NAME, tool, handler, operation, deadline, effect, headline, text)                     \
	[TOOL_##NAME] = {.name = "rr_" #tool,                                                      \
	    .title = (headline),                                                                   \
	    .description = (text),                                                                 \
	    .params = params_of_##tool,                                                            \
	    .results = results_of_##tool,                                                          \
	    .annotations = EFFECT_##effect,
#define SEARCHED(words) .search_words = words,
#define ALWAYS_SHOWN	.always_shown = true,
#define APP(name)	.app = APP_URI #name,
#define END_TOOL                                                                                   \
	}                                                                                          \
	,
#include "sandbox/wire/tools.def"
};

const struct tool_route tools_routed[TOOL_COUNT] = {
#define TOOL(NAME, name, who, number, span, effect, title, description)                            \
	[TOOL_##NAME] = {.handler = HANDLER_##who, .operation = (number), .class = DEADLINE_##span,
#define CORE			       .core = true,
#define NEEDS(setting)		       .need = {true, SETTING_##setting, NULL, NULL},
#define NEEDS_FOR(flag, setting, what) .need = {true, SETTING_##setting, #flag, what},
#define BEFORE(hook)		       .before = hook_before_##hook,
#define AFTER(hook)		       .after = hook_after_##hook,
#define HANDLED_BY(function)	       .handle = handle_##function,
#define END_TOOL                                                                                   \
	}                                                                                          \
	,
#include "sandbox/wire/tools.def"
};
