#ifndef WORKER_PRINTERS_H
#define WORKER_PRINTERS_H
/*
 * The C++ library's own pretty printers, which come with this machine's compiler and show its
 * containers, and those of GLib's lists. Never those that a trace brings: they would be its code.
 */
#include "worker/session/replay.h"

/* Loads gdb's helpers for values, unless they are loaded: before the first expression, whoever asks
 * for it, because without them it would not mean the same. */
void printers_load(struct replay *replay);

/* On for one answer, because printers change how gdb shows every value. */
void printers_begin(struct replay *replay);
void printers_end(struct replay *replay);

/* Whether a value, as gdb shows it without printers, has a container whose elements it hides. */
bool printers_would_help(const char *value);

/* Whether a pointer of that type (may be NULL) is a container, if the system has a printer for it.
 */
bool printers_know(const char *type);

#endif
