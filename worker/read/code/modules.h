#ifndef WORKER_MODULES_H
#define WORKER_MODULES_H
/*
 * Places for frames without symbols: the file, and the offset from its beginning. This tells such
 * frames apart, and other tools accept it.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* Sets `at` to "module+0x1234" in those frames (frame_json's) that have no function name and whose
 * address lies in a file. */
void modules_locate(struct replay *replay, json_t *frames);
/* The same for one frame. */
void modules_locate_one(struct replay *replay, json_t *frame);

#endif
