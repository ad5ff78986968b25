#ifndef WORKER_MODULES_H
#define WORKER_MODULES_H
/*
 * Where frames without symbols are: in which file of the program, and how far from its beginning,
 * which is what tells them apart and what other tools take.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* Adds {module, offset, base} to those of the frames (stop_frame's) that have no function's name,
 * as far as their addresses lie in a file. */
void modules_locate(struct replay *replay, json_t *frames);
/* The same of one frame. */
void modules_locate_one(struct replay *replay, json_t *frame);

#endif
