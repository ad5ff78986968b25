#ifndef WORKER_STUBS_H
#define WORKER_STUBS_H
/*
 * Stubs of procedure linkage tables, through which a library calls its own C++ functions. gdb takes
 * a function's name for its stub as well, so a breakpoint there would stop twice for each call.
 * With glibc's debug information the same is so for malloc, calloc, realloc and free: the loader
 * calls them through inlined functions of the same names, also before any library has them.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* Switches off the places of a breakpoint that are stubs, and removes them from gdb's description.
 * A stub of a procedure linkage table stays if there is no other place. Where none is left, the
 * description is that of a breakpoint that waits. */
void stubs_leave(struct replay *replay, const json_t *bkpt);

/* Removes them from gdb's description only. */
void stubs_hide(const json_t *bkpt);

/* After a stop: whether it is at a place that stubs_leave switches off, as of a breakpoint that
 * waited for its library. Then all of them are switched off, and the run is to go on. */
bool stubs_stopped(struct replay *replay);

#endif
