#ifndef WORKER_STOP_H
#define WORKER_STOP_H
/*
 * What an agent is told at each stop: why, where, the source around it, the moment, what changed
 * and what was printed on the way.
 */
#include "worker/replay.h"

enum direction { FORWARD, BACKWARD };

/*
 * After a gdb_run that ended: takes note of thread, frame and moment, and makes the reply the whole
 * stop, or the error of an interrupted call with the stop as its extra. `reason` (may be NULL)
 * overrules what gdb said.
 */
void stop_answer(
    struct replay *replay, enum direction direction, const char *reason, struct op_reply *reply);

/* The stop alone, as an object; takes note as above. NULL with the reply failed. */
json_t *stop_describe(
    struct replay *replay, enum direction direction, const char *reason, struct op_reply *reply);

/* Whether gdb's last stop is a signal of the program. */
bool stop_is_signal(const struct replay *replay);
/* Whether it is the end of the process, which can still be looked at. */
bool stop_is_end(const struct replay *replay);

/* {level, function, file, line, address, arguments[]} of MI's frame. */
json_t *stop_frame(const json_t *frame);

#endif
