#ifndef WORKER_INVESTIGATE_H
#define WORKER_INVESTIGATE_H
/*
 * The searches: one operation instead of twenty. Each puts position, selection and breakpoints back
 * unless it is asked to stay where it found what it looked for.
 */
#include "worker/replay.h"

op_handler investigate_last_change, investigate_crash_report;

/* Where a search began, to come back to. */
struct origin {
	struct moment moment;
	int tid, frame; /* selected */
	bool at_end, at_signal;
	int held; /* rr's own checkpoint there; 0: none */
};

/* Takes the client's breakpoints out of the way and remembers where we are. */
void investigate_begin(struct replay *replay, struct origin *origin);

/* Puts the breakpoints back, and the position too unless `stay`. */
bool investigate_end(
    struct replay *replay, const struct origin *origin, bool stay, struct op_reply *reply);

#endif
