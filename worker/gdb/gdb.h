#ifndef WORKER_GDB_H
#define WORKER_GDB_H
/*
 * One gdb over its MI: commands with tokens, their results, the last stop, captured console text.
 *
 * Only commands that the worker builds are sent; what a client wrote goes in as one quoted C string
 * (gdb_quote). Every function that waits also keeps the side descriptors drained and lets an
 * interrupt through.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include "worker/gdb/remote.h"
#include "worker/serve/ops.h"
#include "worker/serve/tool.h"

#define GDB_COMMAND_MAX (16 * 1024)
#define GDB_QUOTED_MAX	(8 * 1024)

/* The console command that drops the memory gdb keeps; gdb before 11 has none. */
#define GDB_FORGET_MEMORY "maint flush dcache"

enum gdb_outcome {
	GDB_DONE,    /* gdb did it */
	GDB_REFUSED, /* gdb answered with an error: gdb_message */
	GDB_LOST,    /* gdb or rr has ended, or broke the protocol: gdb_message */
};

struct gdb;

/* Called when a side descriptor has bytes or is closed; returns false to stop further calls. */
typedef bool gdb_side_ready(void *owner, int fd);
/* Called when gdb or a side has closed: returns why in `text`, or false when all is well. */
typedef bool gdb_lost_why(void *owner, char *text, size_t size);
/* Called after each wait. */
typedef void gdb_turned(void *owner);

struct gdb *gdb_new(struct worker *worker, struct tool *tool, void *owner);
void gdb_free(struct gdb *gdb);
/* At most GDB_SIDES_MAX of them. */
void gdb_watch(struct gdb *gdb, int fd, gdb_side_ready *ready);
void gdb_unwatch(struct gdb *gdb, int fd);
/* Takes the connection between gdb and rr, and from now on moves its packets. */
void gdb_connect(struct gdb *gdb, struct remote *remote);
/* Disconnects gdb from this rr for good, and forgets the last stop, because another rr follows. */
enum gdb_outcome gdb_disconnect(struct gdb *gdb);
/* While `expected`, rr may end while the program runs, and gdb_run then returns GDB_DONE without a
 * new stop: gdb_has_lost_rr. Otherwise that is the end of the session. */
void gdb_expect_end(struct gdb *gdb, bool expected);
bool gdb_has_lost_rr(const struct gdb *gdb);
void gdb_on_loss(struct gdb *gdb, gdb_lost_why *why);
void gdb_on_turn(struct gdb *gdb, gdb_turned *turned);
/* Gives gdb up: from now on each command is GDB_LOST, and the operation that runs fails. */
void gdb_lose(struct gdb *gdb, const char *why);

/* Sends one whole line and waits for nothing, for clean-up commands whose result does not matter.
 */
void gdb_tell(struct gdb *gdb, const char *command);

/* Sends one command and waits for its result. *results (may be NULL): owned by the caller. */
enum gdb_outcome gdb_command(struct gdb *gdb, json_t **results, const char *format, ...)
    __attribute__((format(printf, 3, 4), warn_unused_result));

/* Runs a console command (quoted here) and captures what it prints, bounded; text stays until the
 * next command. */
enum gdb_outcome gdb_console(struct gdb *gdb, const char **text, const char *command)
    __attribute__((warn_unused_result));

/* What the last command printed on the console; borrowed until the next. */
const char *gdb_console_text(const struct gdb *gdb);

/* The warnings of the last command; borrowed until the next. */
const char *gdb_log_text(const struct gdb *gdb);

/* What gdb has said beside its answers: exchange_take_warnings, exchange_take_missed_library. */
struct exchange *gdb_exchange(struct gdb *gdb);

/* Sends a command that resumes the program, and waits until it has stopped for good. */
enum gdb_outcome gdb_run(struct gdb *gdb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Takes the program to rr's `target` as `run` would, but gdb does not notice: it keeps what it
 * knows of the program's libraries, and the counts of its breakpoints. Only where the same
 * libraries are loaded as here. GDB_REFUSED: rr cannot go there, gdb watches memory, or nobody
 * knows where the program is now.
 */
enum gdb_outcome gdb_seek(struct gdb *gdb, const char *target);

/* Whether the program has run back since the last time that this was called. */
bool gdb_took_back(struct gdb *gdb);

/* Waits for the last stop of a command that may make several: once gdb has answered another one,
 * no more can come. */
enum gdb_outcome gdb_settle(struct gdb *gdb);

/* Waits once for bytes from any descriptor, before the first command to gdb. */
enum gdb_outcome gdb_wait(struct gdb *gdb, int timeout_ms);

/* The last *stopped record's results, borrowed; NULL before the first. */
json_t *gdb_last_stop(const struct gdb *gdb);
/* Replaces it, for a stop that was reached in a way that gdb does not know. */
void gdb_amend_stop(struct gdb *gdb, json_t *stop);
/* From true to false, which nest, the operation's interrupt waits: for what must be done whole,
 * such as the way back to where the session stood. */
void gdb_shield(struct gdb *gdb, bool shielded);
/* Whether the operation is asked to stop, and nothing shields it. */
bool gdb_must_stop(const struct gdb *gdb);
/* Whether an interrupt ended the last gdb_run. */
bool gdb_was_interrupted(const struct gdb *gdb);
/* See relay_stepped_before_thread. The program's place means nothing then. */
bool gdb_stepped_before_thread(const struct gdb *gdb);
/* As relay_limit_back, and relay_reached_limit. */
void gdb_limit_back(struct gdb *gdb, unsigned times);
bool gdb_reached_limit(const struct gdb *gdb);
/* The breakpoint of the last =breakpoint-created, borrowed; gdb_forget_created first. */
json_t *gdb_created_breakpoint(const struct gdb *gdb);
void gdb_forget_created(struct gdb *gdb);

/* The worker that gdb_new was given. */
const struct worker *gdb_worker(const struct gdb *gdb);

/* Text of the last refusal or loss. */
const char *gdb_message(const struct gdb *gdb);

#endif
