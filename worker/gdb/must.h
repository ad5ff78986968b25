#ifndef WORKER_MUST_H
#define WORKER_MUST_H
/*
 * Commands whose outcome no caller handles: those that gdb must obey, and those that it may refuse.
 */
#include "worker/gdb/gdb.h"

/*
 * For what later answers rest on: a breakpoint that must be gone, a setting that must be back, a
 * list without which a count is wrong. If gdb refuses, nobody knows any more what it does, so the
 * session is lost: the operation fails with gdb's words, and the next call restores the session.
 * The command can be sent twice without harm. *results (may be NULL) is NULL after a refusal.
 */
void gdb_must(struct gdb *gdb, json_t **results, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void gdb_must_console(struct gdb *gdb, const char *command);
/* The same for a packet to the software counter's library, which rr does not know: with the format
 * "keys:", QRRWarden.keys: is sent. */
void gdb_must_packet(struct gdb *gdb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for the outcome of a command that was sent otherwise. */
void gdb_must_have_done(struct gdb *gdb, enum gdb_outcome outcome, const char *command);

/*
 * For what leaves a part of an answer out, or unproven, if gdb refuses: the answer then has the
 * warning "WITHOUT: gdb's words". Returns whether gdb did it.
 */
bool gdb_done_or_warn(struct gdb *gdb, enum gdb_outcome outcome, const char *without);

/*
 * What a console command prints, which stays until the next command; NULL unless gdb did it. Then,
 * the answer has the warning of gdb_done_or_warn; none if `without` is NULL, for what makes no
 * answer wrong.
 */
const char *gdb_shown(struct gdb *gdb, const char *without, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For what makes no answer wrong if gdb refuses: say at each use why. *results is NULL then. */
void gdb_try(struct gdb *gdb, json_t **results, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void gdb_try_console(struct gdb *gdb, const char *command);

#endif
