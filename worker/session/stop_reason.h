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
	STOP_END,    /* the process ends, and gdb can still inspect it */
	STOP_EXITED, /* the process has ended, and gdb cannot inspect it */
	STOP_EVENT, /* rr stopped without a reason: at one end of the recording, or as we told it */
};

/* The reason of gdb's last stop. */
enum stop_kind stop_kind(const struct replay *replay);

/* gdb's last stop gets this reason of MI's, whatever it has hit; and becomes the end of a step. */
void stop_call_it(struct replay *replay, const char *reason);
void stop_call_it_step(struct replay *replay);

/* The reason as clients see it. */
const char *stop_kind_name(enum stop_kind kind);

#endif
