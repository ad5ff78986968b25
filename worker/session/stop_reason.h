#ifndef WORKER_STOP_REASON_H
#define WORKER_STOP_REASON_H
/*
 * Why the program stopped: the one place that knows gdb's stop reasons and what rr makes of them.
 */
#include "worker/session/replay.h"

enum stop_kind {
	STOP_BREAKPOINT,
	STOP_WATCHPOINT,
	STOP_SIGNAL,
	STOP_STEP,
	STOP_FINISHED,
	STOP_START,
	STOP_END,    /* of the process, which can still be looked at */
	STOP_EXITED, /* it cannot */
	STOP_EVENT, /* rr stopped without a reason: at an end of what it goes through, or as told */
};

/* Of gdb's last stop. */
enum stop_kind stop_kind(const struct replay *replay);

/* As clients see it. */
const char *stop_kind_name(enum stop_kind kind);

#endif
