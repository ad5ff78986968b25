#ifndef WORKER_LINKED_H
#define WORKER_LINKED_H
/*
 * The moment at which the loader has linked the program, and only the loader's code has run: a
 * search for other code that is to begin at the start can begin there. gdb knows the program's
 * libraries there, and often need not read them again; see loaded.h.
 */
#include "worker/session/replay.h"

/* Goes there. False: there is no such moment, or it was not found, or *failure is filled; the
 * program stands anywhere then. No breakpoint may be enabled. */
bool linked_go(struct replay *replay, struct failure *failure);

/* The same, if no place of gdb's breakpoints `numbers` can have been passed before. */
bool linked_go_for(
    struct replay *replay, const int *numbers, size_t count, struct failure *failure);

/* The same for one, or else to where the image begins: false with *failure filled. */
bool linked_go_start(struct replay *replay, int number, struct failure *failure);

#endif
