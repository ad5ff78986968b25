#ifndef SUPERVISOR_DEADLINES_H
#define SUPERVISOR_DEADLINES_H
/*
 * How long an operation may take, by class. Times are nanoseconds of CLOCK_MONOTONIC; a deadline of
 * DEADLINE_NEVER is none.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/settings.h"

#define DEADLINE_NEVER	INT64_MAX
#define DEADLINE_SECOND INT64_C(1000000000)
#define DEADLINE_GRACE_MS                                                                          \
	8000 /* between asking an operation to end and killing it, on a busy machine too */
#define DEADLINE_RECORD_GRACE_MS                                                                   \
	8000 /* for the program to clean up, and for rr to finish its trace */
#define DEADLINE_RECORD_CLOSE_MS                                                                   \
	75000 /* beyond that, for an rr that still works: as long as its worker says so */
#define DEADLINE_RECORD_STOP_MS                                                                    \
	25000			/* the same after rr_record_stop, which gives the program 10 s */
#define DEADLINE_ASIDE_MS 20000 /* for a worker to take what comes beside its operation */
#define DEADLINE_STOP_MS  2000	/* for a worker to end rr and gdb cleanly */
#define DEADLINE_SPAN_MAX (7 * 86400) /* seconds a client may ask for */

enum deadline_class {
	DEADLINE_NONE,
	DEADLINE_STARTUP,
	DEADLINE_OPEN, /* startup and connect: a worker brings rr and gdb up in one operation */
	DEADLINE_FORWARD,
	DEADLINE_REVERSE,
	DEADLINE_DIRECTION, /* forward, or reverse where the arguments say so */
	DEADLINE_BREAKPOINT,
	DEADLINE_EVAL,
	DEADLINE_RECORD,
	DEADLINE_ATTEMPTS, /* the number of recordings that the call asks for */
	DEADLINE_CLASS_COUNT
};

/* Seconds the settings give to a class; 0: no limit. */
long long deadline_seconds(
    const struct settings *settings, enum deadline_class class, const json_t *args);

/* Whether calls of that tool can ask for more time themselves. */
bool deadline_is_argument(size_t tool);

/* The moment `seconds` after now; 0 seconds: DEADLINE_NEVER. */
int64_t deadline_after(int64_t now, long long seconds);

int64_t deadline_now(void);

#endif
