#ifndef WORKER_REPORT_H
#define WORKER_REPORT_H
/*
 * Reports on a program's end: a crash, a hang that somebody ended, or an exit status that means a
 * failure. Centres on the first frame of the program's own code.
 */
#include "worker/session/replay.h"

/* The program is at a fatal signal, which `stop` describes. NULL with *failure filled. */
json_t *report_of_crash(struct replay *replay, const json_t *stop, struct failure *failure);

/*
 * Of a process that ended by a signal from outside, or with a status that is not 0: goes to the
 * last moment at which all its threads were there. `output` (may be NULL) is what it printed. NULL
 * with *failure filled, or without where the process ended well.
 */
json_t *report_of_ending(struct replay *replay, const json_t *output, struct failure *failure);

#endif
