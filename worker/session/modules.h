#ifndef WORKER_MODULES_H
#define WORKER_MODULES_H
/*
 * Where frames without symbols are: in which file of the program, and how far from its beginning,
 * which is what tells them apart and what other tools take.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* Sets `at` of those of the frames (frame_json's) that have no function's name to "module+0x1234",
 * as far as their addresses lie in a file. */
void modules_locate(struct replay *replay, json_t *frames);
/* The same of one frame. */
void modules_locate_one(struct replay *replay, json_t *frame);

#endif
