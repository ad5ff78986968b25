#ifndef WORKER_REPORT_H
#define WORKER_REPORT_H
/*
 * What there is to say of a program's end: of a crash, of a hang that somebody ended, and of an
 * exit that says that something failed. Centred on the first frame that is the program's own.
 */
#include "worker/session/replay.h"

/* Where the program stands at a fatal signal, which `stop` describes. NULL with *failure filled. */
json_t *report_of_crash(struct replay *replay, const json_t *stop, struct failure *failure);

/*
 * Of a process that ended by a signal from outside, or with a status that is not 0: goes to the
 * last moment at which all its threads were there. `output` (may be NULL) is what it printed. NULL
 * with *failure filled, or without where the process ended well.
 */
json_t *report_of_ending(struct replay *replay, const json_t *output, struct failure *failure);

#endif
