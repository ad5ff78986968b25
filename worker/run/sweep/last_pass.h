#ifndef WORKER_LAST_PASS_H
#define WORKER_LAST_PASS_H
/*
 * Goes to the last hit of the enabled breakpoints before an instant, in two runs from the start of
 * the image, in which the software counter's library counts the hits without a stop.
 */
#include "worker/moment/instant/fingerprint.h"
#include "worker/session/replay.h"

enum last_pass {
	LAST_PASS_THERE,  /* the program stands at the hit, and gdb's last stop is that of the
			     breakpoint */
	LAST_PASS_NONE,	  /* there is none */
	LAST_PASS_CANNOT, /* it cannot tell; the program stands anywhere */
	LAST_PASS_FAILED, /* interrupted, or gdb is lost: *failure is filled */
};

/* The program stands at the bound, which is at the end of the process or not. */
enum last_pass last_pass_go(
    struct replay *replay, const struct fingerprint *bound, bool at_end, struct failure *failure);

#endif
