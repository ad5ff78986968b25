#ifndef WORKER_BREAKPOINTS_H
#define WORKER_BREAKPOINTS_H
/*
 * Breakpoints and watchpoints of the client: numbered by us, so that a number means the same after
 * the session was brought back, whatever gdb numbers its own.
 */
#include "worker/session/replay.h"

/* Takes all of the client's out of the way of an internal run, and puts them back once each that
 * did so has. */
void breakpoints_suspend(struct replay *replay);
void breakpoints_resume(struct replay *replay);

/* Before and after another image of the process takes the place of this one: gdb forgets them all,
 * and is given those that mean something in the new image. */
void breakpoints_leave(struct replay *replay);
void breakpoints_enter(struct replay *replay);

/* Whether any that is set here stops on a condition only, and none counts or ends by being hit. */
bool breakpoints_are_conditional(const struct replay *replay);

/* The client's number of gdb's, 0 when it is an internal one. */
int breakpoints_client_number(const struct replay *replay, int gdb_number);
/* What the client asked to watch, or where; borrowed; NULL when unknown. */
const char *breakpoints_expression(const struct replay *replay, int gdb_number);
/* Where gdb could not run for want of a place to set one: has the failure say which, and what
 * helps.
 */
void breakpoints_explain(const struct replay *replay, struct failure *failure);
/* gdb deleted it by itself (temporary, or its scope ended). */
void breakpoints_forget(struct replay *replay, int gdb_number);

/* For state.c: all of them as data, and back again; what cannot be set again becomes a warning. */
json_t *breakpoints_save(const struct replay *replay);
void breakpoints_restore(struct replay *replay, const json_t *saved);

#endif
