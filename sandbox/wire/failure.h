#ifndef SANDBOX_FAILURE_H
#define SANDBOX_FAILURE_H
/*
 * Why a call failed, for both sides: what happened and why (message), and what to do next (hint).
 */
#include <jansson.h>

#define FAILURE_MESSAGE_MAX 1024
#define FAILURE_HINT_MAX    512

/* Clients see the names of the codes, so they must not change. */
#define FAILURE_CODES(X)                                                                           \
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
	FAILURE_CODES(X)
#undef X
	    ERROR_CODE_COUNT
};

/* Starts as {0}; it holds a failure once its message is not empty. */
struct failure {
	enum error_code code;
	char message[FAILURE_MESSAGE_MAX]; /* UTF-8 without control characters */
	char hint[FAILURE_HINT_MAX];	   /* "" for none */
	json_t *details; /* owned: further fields of the error, such as the stop; or NULL */
};

/* Releases its details: it is none any more. */
static inline void failure_forget(struct failure *failure)
{
	json_decref(failure->details);
	*failure = (struct failure){0};
}

/* For one that nobody is told: forgets it at the end of the scope. */
#define cleanup_failure __attribute__((cleanup(failure_forget)))

/* Fills in everything except the details. hint may be NULL. Replaces bytes of the message that
 * cannot be shown. */
void failure_set(struct failure *failure, enum error_code code, const char *hint,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Fills it in where memory has run out. NULL, for the caller to return; also as false. */
void *failure_no_memory(struct failure *failure);

/* Replaces the hint, for a caller that knows a better one. */
void failure_set_hint(struct failure *failure, const char *hint);

/* The name of a code, and the code of a name: ERROR_INTERNAL for an unknown name. */
const char *failure_name(enum error_code code);
enum error_code failure_code(const char *name);

#endif
