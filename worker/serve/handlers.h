#ifndef WORKER_HANDLERS_H
#define WORKER_HANDLERS_H
/*
 * The functions that answer tools, and the structs of their arguments, generated from the rows of
 * sandbox/wire/tools.def.
 *
 * json_t *tool_NAME(struct worker *, const struct NAME_args *, struct failure *) returns the
 * result, an object of at most WIRE_RESULT_MAX bytes that the caller owns, or NULL with *failure
 * filled. The tools of an open session (SESSION, EITHER) get its struct replay instead of the
 * worker.
 *
 * Arguments are within the bounds of their row. An absent or empty text is NULL; any other absent
 * argument has its row's default. `given` holds the arguments as they came, and so tells whether
 * one was there at all. Everything is borrowed until the function returns.
 */
#include <jansson.h>
#include <stdbool.h>

#include "sandbox/wire/tools.h"
#include "worker/serve/ops.h"

#define FIELD_STRING(name, choices)	 const char *name;
#define FIELD_EXPRESSION(name, choices)	 const char *name;
#define FIELD_EXPRESSIONS(name, choices) json_t *name;
#define FIELD_LOCATION(name, choices)	 const char *name;
#define FIELD_INTEGER(name, choices)	 long long name;
#define FIELD_NUMBER(name, choices)	 double name;
#define FIELD_FLAG(name, choices)	 bool name;
#define FIELD_CHOICE(name, choices)	 enum choices name;
#define FIELD_TEXTS(name, choices)	 json_t *name;
#define FIELD_TEXT_MAP(name, choices)	 json_t *name;
#define FIELD_OBJECTS(name, choices)	 json_t *name;

#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	struct name##_args {                                                                       \
		const json_t *given;
#define ARG(type, name, required, absent, min, max, choices, help) FIELD_##type(name, choices)
#define END_TOOL                                                                                   \
	}                                                                                          \
	;
#include "sandbox/wire/tools.def"

#define TOOL_FUNCTION(of, name)                                                                    \
	json_t *tool_##name(of, const struct name##_args *args, struct failure *failure);
#define FUNCTION_SESSION(name) TOOL_FUNCTION(struct replay *replay, name)
#define FUNCTION_OPEN(name)    TOOL_FUNCTION(struct worker *worker, name)
#define FUNCTION_EITHER(name)  FUNCTION_SESSION(name)
#define FUNCTION_RECORD(name)  FUNCTION_OPEN(name)
#define FUNCTION_QUERY(name)   FUNCTION_OPEN(name)
#define FUNCTION_COMPARE(name) FUNCTION_OPEN(name)
#define FUNCTION_HERE(name)
#define TOOL(NAME, name, handler, operation, deadline, effect, title, description)                 \
	FUNCTION_##handler(name)
#include "sandbox/wire/tools.def"

#endif
