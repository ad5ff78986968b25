#ifndef WORKER_BREAKPOINTS_H
#define WORKER_BREAKPOINTS_H
/*
 * The client's breakpoints and watchpoints in gdb; breakpoint.h has the data of each.
 */
#include "worker/session/replay.h"

/* Disables all of the client's for an internal run, and enables them again when every caller that
 * disabled them has asked for it. */
void breakpoints_suspend(struct replay *replay);
void breakpoints_resume(struct replay *replay);

/*
 * Disables the watchpoints that have a condition, for a step back: gdb would check it before the
 * write, where it means something else. Whether there are any; breakpoints_put_back enables them.
 */
bool breakpoints_set_aside(struct replay *replay);
void breakpoints_put_back(struct replay *replay);

/* Before and after another image of the process replaces this one: removes them all from gdb, and
 * sets those again that have a meaning in the new image. */
void breakpoints_leave(struct replay *replay);
void breakpoints_enter(struct replay *replay);

/* Whether any that is set here and enabled stops on a condition only; a watchpoint with one; one
 * that counts its hits, or ends with one. */
bool breakpoints_have_condition(const struct replay *replay);
bool breakpoints_watch(const struct replay *replay);
bool breakpoints_watch_on_condition(const struct replay *replay);
bool breakpoints_count(const struct replay *replay);

/* What the client asked to watch, or where; borrowed; NULL when unknown. */
const char *breakpoints_expression(const struct replay *replay, int gdb_number);
/* After gdb could not run because it could not set one: makes the failure name that one and
 * what helps.
 */
void breakpoints_explain(const struct replay *replay, struct failure *failure);
/* gdb deleted it by itself (temporary, or its scope ended). */
void breakpoints_forget(struct replay *replay, int gdb_number);

/* Sets it; returns what gdb made of it (the caller's), or NULL with *failure filled. */
json_t *breakpoints_insert(
    struct replay *replay, const struct breakpoint *breakpoint, struct failure *failure);
/* Has gdb's breakpoint as this one is now, with `condition` (NULL: none), which becomes its own;
 * false with *failure filled, and nothing changed. */
bool breakpoints_set_condition(struct replay *replay, struct breakpoint *breakpoint,
    const char *condition, struct failure *failure);
bool breakpoints_switch(
    struct replay *replay, struct breakpoint *breakpoint, bool enabled, struct failure *failure);
bool breakpoints_ignore(
    struct replay *replay, struct breakpoint *breakpoint, long long count, struct failure *failure);
/* Takes over one that gdb has under this number (0: not in this image). Returns where it is, until
 * another comes or goes, or NULL with *failure filled and gdb's deleted. */
const struct breakpoint *breakpoints_keep(
    struct replay *replay, struct breakpoint *breakpoint, int gdb_number, struct failure *failure);

/* Of what gdb answered to -break-list, borrowed: its rows, and the row of a breakpoint of gdb's;
 * NULL when there is none. */
const json_t *breakpoints_rows(const json_t *results);
const json_t *breakpoints_row(const json_t *rows, long long gdb_number);
/* The number of its hits, in all images. `row` may be NULL. */
long long breakpoints_hits(const struct breakpoint *breakpoint, const json_t *row);

/* Before rr starts anew, where gdb forgets how often each was hit: we do not. */
void breakpoints_count_hits(struct replay *replay);

/* Before a search that hits them on its way, and after it: the hits are what they were, and one
 * more of `reached`, gdb's number of where it ended (0: none). */
void breakpoints_note_hits(struct replay *replay);
void breakpoints_forget_hits(struct replay *replay, int reached);

/* For state.c: all of them as data, and back again; what cannot be set again becomes a warning. */
json_t *breakpoints_save(const struct replay *replay);
void breakpoints_restore(struct replay *replay, const json_t *saved);

#endif
