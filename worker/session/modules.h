#ifndef WORKER_MODULES_H
#define WORKER_MODULES_H
/*
 * Where frames without symbols are: the file of the program, and the offset from its beginning.
 * This distinguishes such frames, and other tools accept it.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* Sets `at` of those of the frames (frame_json's) that have no function's name to "module+0x1234",
 * as far as their addresses lie in a file. */
void modules_locate(struct replay *replay, json_t *frames);
/* The same of one frame. */
void modules_locate_one(struct replay *replay, json_t *frame);

#endif
