#ifndef WORKER_CHECK_H
#define WORKER_CHECK_H
/*
 * Between a client and gdb: quotes the client's text on its way in, and turns gdb's refusals into
 * errors on their way out.
 */
#include <stdbool.h>
#include "worker/gdb/gdb.h"

/* Quotes a client's text into a buffer of GDB_QUOTED_MAX bytes. Returns false with *failure filled
 * if that is not possible. */
bool gdb_quote(char *to, const char *what, const char *text, struct failure *failure);

/* Turns an outcome into a failure. Returns true if there was none. */
bool gdb_check(struct gdb *gdb, enum gdb_outcome outcome, enum error_code code, const char *hint,
    struct failure *failure);

#endif
