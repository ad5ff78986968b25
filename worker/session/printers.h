#ifndef WORKER_PRINTERS_H
#define WORKER_PRINTERS_H
/*
 * The C++ library's own pretty printers, which come with this machine's compiler and show its
 * containers. Never those that a trace brings: they would be its code.
 */
#include "worker/session/replay.h"

/* On for one answer, because printers change how gdb shows every value. Loads them first if this
 * is their first use in the session. */
void printers_begin(struct replay *replay);
void printers_end(struct replay *replay);

/* Whether a value, as gdb shows it without printers, has a container whose elements it hides. */
bool printers_would_help(const char *value);

#endif
