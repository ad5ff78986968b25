#ifndef WORKER_SIGNALS_H
#define WORKER_SIGNALS_H
/*
 * Which signals stop the program. In any case it receives all of them, because they are in the
 * recording.
 */
#include "worker/session/replay.h"

/* At the start of the session: ignores signals that mean nothing to a debugger, and, except for
 * faults, those that the recorded program always handled. */
void signals_begin(struct replay *replay);

/* Makes all faults stop, whatever the client has set, until signals_apply. */
void signals_stop_at_faults(struct replay *replay);
/* Lets a search run past all signals, until signals_stop_again restores the client's choice. That
 * one does nothing once gdb is lost. */
void signals_pass_all(struct replay *replay);
void signals_stop_again(struct replay *replay);
/* Tells gdb again, after a temporary change. */
void signals_apply(struct replay *replay);

/* Makes this signal stop; false with *failure filled if there is no such signal. */
bool signals_stop_at(struct replay *replay, const char *name, struct failure *failure);

/* The client's choice as data, and how to restore it in a restored session. */
json_t *signals_save(const struct replay *replay);
void signals_restore(struct replay *replay, const json_t *saved);

#endif
