#ifndef WORKER_LINKED_SYMBOLS_H
#define WORKER_LINKED_SYMBOLS_H
/*
 * Debug information in a file of its own, which a program names or which is called like it. gdb
 * looks for it beside the program, but a replay runs the trace's copy of it.
 */
#include "worker/session/replay.h"

/* The file that gdb reads as the executable: the recorded program itself, if it has such a file and
 * is still what was recorded, else the trace's copy. Not both: gdb then finds no libraries. Owned
 * by the replay. */
const char *linked_symbols_program(const struct replay *replay);

#endif
