#ifndef WORKER_FRAME_H
#define WORKER_FRAME_H
/*
 * One frame as agents see it, and whose code it is.
 *
 * Inside the worker a frame is {level, function, args, at, address, library, function_file}, as far
 * as each is known: `args` in gdb's notation, `at` the path and line, `library` gdb's name of the
 * library if there is no line. Agents see no library: without a line, `at` names it. frame_finish
 * and frames_finish turn the former into the latter.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define FRAME_PATH_MAX 4096

/* From MI's frame. Leaves out unknown names. */
json_t *frame_json(const json_t *frame);

/* The arguments of MI's frame in gdb's notation, "a=1, b=0x55 <buffer>"; NULL if it has none. */
json_t *frame_args(const json_t *frame);

/* Whether its source lines are the program's own: known, and not from a header or library of the
 * system. */
bool frame_is_own(struct replay *replay, const json_t *frame);

/* Whether it is one of the C library or the loader. */
bool frame_is_of_libc(struct replay *replay, const json_t *frame);

/* Whether a source file belongs to the system, or to a language's library. */
bool frame_is_of_system(const char *path);

/* Removes rr's own innermost frames: those of its library through which the program makes system
 * calls. */
void frames_without_rr(json_t *frames);

/* Code of the program itself that has neither lines nor a library's name: it was stripped. */
bool frame_is_unnamed(struct replay *replay, const json_t *frame);

/* The first frame of the program's own code; if there is none, the first with lines, else the
 * first. NULL if there are no frames. Borrowed. */
json_t *frames_first_own(struct replay *replay, const json_t *frames);

/* What tells the program's own among these: frame_is_own, or frame_is_unnamed where it has no
 * lines, because all of it was stripped. */
typedef bool frame_test(struct replay *replay, const json_t *frame);
frame_test *frames_own_test(struct replay *replay, const json_t *frames);

/* Its path and line, from `at`; false where no line is known. */
bool frame_place(const json_t *frame, char path[FRAME_PATH_MAX], int *line);

/* The source around its line; NULL where none is known. */
json_t *frame_source(struct replay *replay, const json_t *frame);

/* Turns the frame in which the program stopped into one as agents see it, with its address. Returns
 * the same frame. */
json_t *frame_finish(struct replay *replay, json_t *frame);

/* MI's frame as lists show it: with an address only if no function is known. */
json_t *frame_listed(struct replay *replay, const json_t *frame);

/* Frames as agents see them: addresses only if no function is known, and runs of the C library's
 * frames as {folded: n, what}, in the way in which frames_collect folds repetitions. */
void frames_finish(struct replay *replay, json_t *frames);

#endif
