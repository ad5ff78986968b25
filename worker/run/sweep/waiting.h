#ifndef WORKER_WAITING_H
#define WORKER_WAITING_H
/*
 * What a breakpoint at a program's start would wait for: looks where the recording has loaded its
 * libraries, and comes back.
 */
#include "worker/session/replay.h"

#define WAITING_NOTE_MAX 400

/*
 * For a location that nothing has yet. Tells in `note` which file has it, or that this is not known
 * because the recording was not looked through. False with *failure filled, similar names included,
 * if no file has it; or if the session cannot return.
 */
bool waiting_find(struct replay *replay, const char *location, char note[WAITING_NOTE_MAX],
    struct failure *failure);

/* The same within an excursion. there: the program stands where it first had it, that is, before
 * any of that code could run; else it stands anywhere. */
bool waiting_go(struct replay *replay, const char *location, bool *there,
    char note[WAITING_NOTE_MAX], struct failure *failure);

/*
 * The same where libraries are loaded already, after gdb refused the location with *refused:
 * whether one has it that the program loads, or unloads, at another moment, which `note` tells.
 * False with *failure filled only if the session cannot return.
 */
bool waiting_find_elsewhere(struct replay *replay, const char *location,
    const struct failure *refused, char note[WAITING_NOTE_MAX], struct failure *failure);

#endif
