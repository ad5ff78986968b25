/*
 * Fills in failures, and the table of their names.
 */
#include "sandbox/wire/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/wire/scrub.h"

static const char *const names[ERROR_CODE_COUNT] = {
#define X(name, text) [ERROR_##name] = (text),
    FAILURE_CODES(X)
#undef X
};

void failure_set(
    struct failure *failure, enum error_code code, const char *hint, const char *format, ...)
{
	char message[FAILURE_MESSAGE_MAX];
	va_list list;

	failure->code = code;
	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
	scrub_bytes(failure->message, sizeof(failure->message), message, strlen(message));
	failure_set_hint(failure, hint);
}

void *failure_no_memory(struct failure *failure)
{
	failure_set(failure, ERROR_INTERNAL, NULL, "out of memory");
	return NULL;
}

void failure_set_hint(struct failure *failure, const char *hint)
{
	scrub_bytes(
	    failure->hint, sizeof(failure->hint), hint ? hint : "", hint ? strlen(hint) : 0);
}

const char *failure_name(enum error_code code)
{
	return names[code < ERROR_CODE_COUNT ? code : ERROR_INTERNAL];
}

enum error_code failure_code(const char *name)
{
	for (int code = 0; name && code < ERROR_CODE_COUNT; code++)
		if (strcmp(names[code], name) == 0)
			return (enum error_code)code;
	return ERROR_INTERNAL;
}
