#ifndef WORKER_SEEN_H
#define WORKER_SEEN_H
/*
 * How answers name moments, and which instruction each name stands for: where a name holds no pc,
 * many instructions have its event and ticks. What is kept of this is bounded, and goes with the
 * saved session: a name that is not known any more is told, never guessed.
 */
#include <jansson.h>
#include "worker/session/replay.h"

#define SEEN_SAVED_MAX 12000 /* bytes of the saved session */

/*
 * Names a moment as rr_goto takes it back, and keeps what the name stands for: "event:ticks". Where
 * that name stands for another instruction, "@pc" follows, in hexadecimal; and where that stands
 * for another pass of the same instruction, "." and a sum of registers and stack. The sum is taken
 * here if the program stands there.
 */
json_t *seen_name(struct replay *replay, const struct moment *moment);

/* What an answer named with these event and ticks and this pc (0: none); NULL: not known. */
const struct moment *seen_find(const struct replay *replay, const struct moment *moment);

/* The newest names, as text of at most SEEN_SAVED_MAX bytes. */
json_t *seen_save(const struct replay *replay);
/* Whatever is not as seen_save made it is left out. */
void seen_restore(struct replay *replay, const json_t *saved);

#endif
