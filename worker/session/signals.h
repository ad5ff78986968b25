#ifndef WORKER_SIGNALS_H
#define WORKER_SIGNALS_H
/*
 * Which signals stop the program. All reach it in any case, because the recording says so.
 */
#include "worker/session/replay.h"

/* At the session's beginning: passes over those that say nothing, and those that the recorded
 * program always handled itself, faults excepted. */
void signals_begin(struct replay *replay);

/* Has all faults stop, whatever the client has set, until signals_apply. */
void signals_stop_at_faults(struct replay *replay);
/* Lets a search run past all signals, until signals_stop_again has them as the client has set them.
 */
void signals_pass_all(struct replay *replay);
void signals_stop_again(struct replay *replay);
/* Tells gdb once more, after something else was tried. */
void signals_apply(struct replay *replay);

/* Has this one stop; false with *failure filled when there is no such signal. */
bool signals_stop_at(struct replay *replay, const char *name, struct failure *failure);

/* What the client has set, as data, and set again in a session that was brought back. */
json_t *signals_save(const struct replay *replay);
void signals_restore(struct replay *replay, const json_t *saved);

#endif
