#ifndef WORKER_LINKED_SYMBOLS_H
#define WORKER_LINKED_SYMBOLS_H
/*
 * Debug information in a file of its own, which a program names. gdb looks for it beside the
 * program, but a replay runs the trace's copy of it.
 */
#include "worker/session/replay.h"

/* Call it after gdb has read the executable: if that names such a file, and the recorded program is
 * still where it was, gdb takes its symbols from there. */
void linked_symbols_take(struct replay *replay);

#endif
