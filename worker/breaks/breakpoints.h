#ifndef WORKER_BREAKPOINTS_H
#define WORKER_BREAKPOINTS_H
/*
 * The client's breakpoints and watchpoints in gdb; breakpoint.h has the data of each.
 */
#include "worker/session/breakpoint.h"
#include "worker/session/replay.h"

/* Disables all of the client's for an internal run. Enables them again when every caller that
 * disabled them has asked for it. */
void breakpoints_suspend(struct replay *replay);
void breakpoints_resume(struct replay *replay);

/*
 * Disables the watchpoints with a condition for a step back, because gdb would check it before the
 * write, where it means something else. Returns whether there are any; breakpoints_put_back enables
 * them.
 */
bool breakpoints_set_aside(struct replay *replay);
void breakpoints_put_back(struct replay *replay);

/* Before and after another image of the process replaces this one: removes all from gdb, and sets
 * those again that are valid in the new image. */
void breakpoints_leave(struct replay *replay);
void breakpoints_enter(struct replay *replay);

/*
 * The second, where the session has come back over a fork from process `child`, and stands before
 * that call in its parent. A slot of the stack that was not in use there is another variable's, if
 * anything: what watches it stays in the child. Returns the client's numbers of those that gdb had
 * in the child and has not here: "2, 5"; NULL: none. To be freed.
 */
char *breakpoints_follow(struct replay *replay, long long child);

/* Whether the program can stop at any: it is set here and enabled, and not suspended or aside. */
bool breakpoints_stop(const struct replay *replay);

/* Among those that are set here and enabled: whether any has a condition; any watchpoint has one;
 * any counts its hits, or ends with one. */
bool breakpoints_have_condition(const struct replay *replay);
bool breakpoints_watch(const struct replay *replay);
bool breakpoints_watch_on_condition(const struct replay *replay);
bool breakpoints_count(const struct replay *replay);

/* The client's expression or location; borrowed; NULL if unknown. */
const char *breakpoints_expression(const struct replay *replay, int gdb_number);
/* If gdb could not run because it could not set a breakpoint, makes the failure name that one and a
 * remedy. */
void breakpoints_explain(const struct replay *replay, struct failure *failure);
/* For one that gdb deleted by itself (temporary, or its scope ended). */
void breakpoints_forget(struct replay *replay, int gdb_number);

/* Updates gdb's breakpoint to this one, with `condition` (NULL: none), which it stores. False with
 * *failure filled and nothing changed. */
bool breakpoints_set_condition(struct replay *replay, struct breakpoint *breakpoint,
    const char *condition, struct failure *failure);
bool breakpoints_switch(
    struct replay *replay, struct breakpoint *breakpoint, bool enabled, struct failure *failure);
bool breakpoints_ignore(
    struct replay *replay, struct breakpoint *breakpoint, long long count, struct failure *failure);
/* Takes over the breakpoint that gdb has under this number (0: not in this image). Returns its
 * place, valid until the list changes, or NULL with *failure filled and gdb's breakpoint deleted.
 */
const struct breakpoint *breakpoints_keep(
    struct replay *replay, struct breakpoint *breakpoint, int gdb_number, struct failure *failure);

/* Call this before rr restarts, because gdb then forgets how often each was hit. */
void breakpoints_count_hits(struct replay *replay);

/* Call these before and after a search that hits breakpoints on its way. They restore the numbers
 * of hits, and add one to `reached`, gdb's number of the one at which the search ended (0: none).
 */
void breakpoints_note_hits(struct replay *replay);
void breakpoints_forget_hits(struct replay *replay, int reached);

/* For state.c: converts all to data and back. A breakpoint that cannot be set again becomes a
 * warning. */
json_t *breakpoints_save(const struct replay *replay);
void breakpoints_restore(struct replay *replay, const json_t *saved);

#endif
