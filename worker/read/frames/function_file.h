#ifndef WORKER_FUNCTION_FILE_H
#define WORKER_FUNCTION_FILE_H
/*
 * The file of a frame's function where its line is of another one. A compiler moves code that it
 * inlined from a header into the function without a frame of its own: the line is the library's,
 * and the function still the program's.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* Adds `function_file` to frames whose line is a header's of the system and whose function may be
 * the program's. */
void function_file_add(struct replay *replay, int thread, json_t *frames);

#endif
