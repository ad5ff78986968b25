#ifndef WORKER_CHECK_H
#define WORKER_CHECK_H
/*
 * What passes between a client and gdb: the client's text on its way in, gdb's refusals on their
 * way out as errors.
 */
#include <stdbool.h>
#include "worker/gdb/gdb.h"

/* Quotes a client's text into a buffer of GDB_QUOTED_MAX; fails the reply when that cannot be. */
bool gdb_quote(char *to, const char *what, const char *text, struct failure *failure);

/* Fails the reply as what the interrupt asked for: timeout or cancelled. */
void gdb_fail_interrupted(const struct worker *worker, struct failure *failure);

/* Turns an outcome into the reply's error; true when there was none. */
bool gdb_check(struct gdb *gdb, enum gdb_outcome outcome, enum error_code code, const char *hint,
    struct failure *failure);

#endif
