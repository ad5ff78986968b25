#ifndef WORKER_SEEN_H
#define WORKER_SEEN_H
/*
 * How answers name moments, and which instruction each name means: many instructions have the event
 * and ticks of a name without pc. This memory is bounded, and saved with the session. If a name's
 * meaning was forgotten, the answer says so.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define SEEN_SAVED_MAX 12000 /* bytes of the saved session */

/*
 * Names a moment for rr_goto, and remembers what the name means: "event:ticks". If that name means
 * another instruction already, "@pc" follows, in hexadecimal; if that means another pass of the
 * same instruction, "." and a sum of registers and stack. Computes the sum if the program stands
 * there.
 */
json_t *seen_name(struct replay *replay, const struct moment *moment);

/* The moment that an answer named with this event, ticks and pc (0: none); NULL: not known. */
const struct moment *seen_find(const struct replay *replay, const struct moment *moment);

/* The newest names, as text of at most SEEN_SAVED_MAX bytes. */
json_t *seen_save(const struct replay *replay);
/* Leaves out everything that is not as seen_save made it. */
void seen_restore(struct replay *replay, const json_t *saved);

#endif
