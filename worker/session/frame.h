#ifndef WORKER_FRAME_H
#define WORKER_FRAME_H
/*
 * One frame as an agent is shown it, and whose code it is.
 *
 * Inside the worker a frame is {level, function, args, at, address, library}, as far as each is
 * known: `args` in gdb's notation, `at` the path and line, `library` what gdb names where it knows
 * no line. What is shown has no library: where there is no line, `at` names it. frame_finish and
 * frames_finish make the second of the first.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define FRAME_PATH_MAX 4096

/* Of MI's frame. A name that nobody knows is left out. */
json_t *frame_json(const json_t *frame);

/* The arguments of MI's frame in gdb's notation, "a=1, b=0x55 <buffer>"; NULL when it has none. */
json_t *frame_args(const json_t *frame);

/* Whether its source lines are the program's own: known, and not from a header or library of the
 * system. */
bool frame_is_own(struct replay *replay, const json_t *frame);

/* Takes away the innermost frames that are rr's own: those of its library through which the program
 * makes system calls. */
void frames_without_rr(json_t *frames);

/* The first of the frames that is the program's own; where there is none the first that has lines,
 * else the first. NULL without any. Borrowed. */
json_t *frames_first_own(struct replay *replay, const json_t *frames);

/* Its path and line, from `at`; false where no line is known. */
bool frame_place(const json_t *frame, char path[FRAME_PATH_MAX], int *line);

/* The source around its line; NULL where none is known. */
json_t *frame_source(struct replay *replay, const json_t *frame);

/* Makes it a frame as it is shown, with its address, for a frame in which the program is stopped.
 * Returns the same frame. */
json_t *frame_finish(struct replay *replay, json_t *frame);

/* MI's frame as it is shown in a list: its address only where no function is known. */
json_t *frame_listed(struct replay *replay, const json_t *frame);

/* As they are shown: addresses only where no function is known, and runs of frames of the C library
 * as {folded: n, what}, as frames_collect folds what repeats. */
void frames_finish(struct replay *replay, json_t *frames);

#endif
