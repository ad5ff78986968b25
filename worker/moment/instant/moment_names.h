#ifndef WORKER_MOMENT_NAMES_H
#define WORKER_MOMENT_NAMES_H
/*
 * How answers name moments, for rr_goto and every other tool that takes one.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/*
 * "event:ticks@pc.sum", in hexadecimal behind the "@": many instructions share event and ticks, and
 * the same one can run again before the next conditional branch. The sum is that of registers and
 * stack. It is computed if the program stands there, and is left out if it is not known; without a
 * pc, so is that. NULL for a core file, which has one moment.
 */
json_t *moment_name(struct replay *replay, const struct moment *moment);

/* As {event, ticks, tid, pc, sum}, for checkpoints and state. */
json_t *moment_json(const struct moment *moment);
/* False if it is not a moment. */
bool moment_from_json(const json_t *json, struct moment *moment);

#endif
