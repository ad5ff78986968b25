#ifndef WORKER_LOADED_H
#define WORKER_LOADED_H
/*
 * Where in the recording just those libraries are loaded that gdb knows now. There the session can
 * go without gdb reading them again (gdb_seek), which with debug information takes longer than most
 * replays.
 */
#include "worker/session/loaded_state.h"
#include "worker/session/replay.h"

/* gdb is about to read anew which are loaded. */
void loaded_anew(struct replay *replay);

/* Takes the program to rr's `target` without gdb reading them again. What gdb knows counts for
 * nothing there until loaded_trust. False: the program may be anywhere. */
bool loaded_seek(struct replay *replay, const char *target);
void loaded_trust(struct replay *replay);

/* Call this at each moment at which the program has been seen to stand: replay_now. */
void loaded_note(struct replay *replay);

/* Where the program was linked, if that lies within the event of `to` and before it, and gdb need
 * not read the libraries again to go there: at the beginning of that event others are loaded.
 * NULL: not so. */
const struct linked *loaded_linked_before(struct replay *replay, const struct moment *to);

/* Whether they are known to be the same `there`; its ticks and tid may be 0, its event may be
 * REPLAY_EVENT_FAR; NULL: not known. */
bool loaded_same(struct replay *replay, const struct moment *there);

#endif
