/*
 * Resumes the program, and corrects what gdb and rr together get wrong after a run backward.
 */
#include <stdio.h>
#include <string.h>
#include "worker/breaks/breakpoints.h"
#include "worker/gdb/must.h"
#include "worker/breaks/registers.h"
#include "worker/moment/crossing.h"
#include "worker/moment/fork_start.h"
#include "worker/session/images.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/position.h"
#include "worker/run/sweep/resume.h"
#include "worker/session/stop_reason.h"
#include "worker/breaks/places/stubs.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/gdb/mi/says.h"
#include "worker/session/selection.h"

#define OPTIONS_MAX 96

/*
 * gdb steps over the breakpoint under a thread only if it has selected that thread or saw it stop
 * there, which it did not after rr restarted. A run of all threads may as well begin with the
 * thread of the present moment, whatever the client has selected.
 */
static void select_stopped(struct replay *replay, const struct resumption *resumption)
{
	const struct moment *now = replay_now(replay);

	if (!resumption->stepping && now->tid && now->tid != replay_selected(replay)->tid)
		selection_set_thread(replay, now->tid);
}

/* Whether the program has no dynamic linker: it is statically linked. */
static enum gdb_outcome look_for_linker(struct replay *replay, bool *none)
{
	static const char zero[] = " 0x0\n";
	const char *text, *base, *end;
	enum gdb_outcome outcome = gdb_console(replay_gdb(replay), &text, "info auxv");

	if (outcome != GDB_DONE)
		return outcome;
	base = strstr(text, "AT_BASE ");
	end = base ? strchr(base, '\n') : NULL;
	*none = end && strncmp(end - strlen(zero) + 1, zero, strlen(zero)) == 0;
	return GDB_DONE;
}

/*
 * Where the dynamic linker is part of the program itself, gdb takes all of the program for it, and
 * steps back through all of it, to the start of the recording. Of a system that it does not know it
 * knows no dynamic linker either.
 */
static enum gdb_outcome must_forget_linker(
    struct replay *replay, const struct resumption *resumption, bool *must)
{
	*must = false;
	if (resumption->direction == FORWARD || strcmp(resumption->verb, "continue") == 0 ||
	    strstr(resumption->verb, "instruction"))
		return GDB_DONE;
	return look_for_linker(replay, must);
}

/* MI needs its own options before those of the command. */
static enum gdb_outcome resume(struct replay *replay, const struct resumption *resumption)
{
	bool forget;
	enum gdb_outcome outcome = must_forget_linker(replay, resumption, &forget);
	char options[OPTIONS_MAX] = "";
	size_t length = 0;

	if (outcome != GDB_DONE)
		return outcome;

	select_stopped(replay, resumption);
	if (resumption->stepping)
		length = (size_t)snprintf(
		    options, OPTIONS_MAX, " --thread %d", replay_selected(replay)->number);
	if (resumption->frame >= 0)
		length += (size_t)snprintf(
		    options + length, OPTIONS_MAX - length, " --frame %d", resumption->frame);
	if (resumption->direction == BACKWARD)
		length += (size_t)snprintf(options + length, OPTIONS_MAX - length, " --reverse");
	if (resumption->count)
		snprintf(options + length, OPTIONS_MAX - length, " %lld", resumption->count);
	if (forget)
		gdb_must(replay_gdb(replay), NULL, "-gdb-set osabi none");
	outcome = gdb_run(replay_gdb(replay), "-exec-%s%s", resumption->verb, options);
	if (forget && outcome != GDB_LOST)
		gdb_must(replay_gdb(replay), NULL, "-gdb-set osabi auto");
	return outcome;
}

/*
 * After going back to where a library was not loaded yet, gdb still knows the library and cannot
 * set its own breakpoints in it. When gdb restarts, it looks again which libraries are loaded.
 */
static bool look_again(struct replay *replay)
{
	const struct selection *selected = replay_selected(replay);
	struct failure ignored = {0};
	int tid = selected->tid, here;
	bool ok;

	if (!gdb_says(gdb_message(replay_gdb(replay)), SAYS_NOT_INSERTED))
		return false;
	here = position_hold(replay);
	ok = here && position_return(replay, here, NULL, &ignored);
	position_release(replay, here);
	if (ok && tid != selected->tid)
		selection_set_thread(replay, tid);
	return ok;
}

/* Back to where a forked process begins, and no further: see fork_start.h. Instructions do not need
 * that. */
static enum gdb_outcome resume_guarded(struct replay *replay, const struct resumption *resumption)
{
	const bool back =
	    resumption->direction == BACKWARD && !strstr(resumption->verb, "instruction");
	enum gdb_outcome outcome;
	int guard;

	if (back && fork_start_is_here(replay))
		return GDB_DONE;
	guard = back ? fork_start_guard(replay) : 0;
	outcome = resume(replay, resumption);
	if (outcome == GDB_DONE)
		fork_start_tell(replay, guard);
	temporary_breakpoint_delete(replay, guard);
	return outcome;
}

/* A library that came later has a function of the same name: its place needs a register, too. */
static bool have_too_many(struct replay *replay)
{
	return gdb_says(gdb_message(replay_gdb(replay)), SAYS_TOO_MANY_IN_HARDWARE) &&
	       registers_leave(replay);
}

/* From an image's first instruction back to the exec that began it, in the image before. */
static bool cross_backward(struct replay *replay, struct failure *failure)
{
	bool ok;

	breakpoints_suspend(replay);
	ok = position_go_exec(replay, images_at(replay), failure);
	breakpoints_resume(replay);
	replay_moves(replay);
	return ok;
}

/* If a run forward has reached the exec that ends the image, goes on in the next image. */
static bool cross_forward(struct replay *replay, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	bool lost = gdb_has_lost_rr(gdb);

	if (images_count(replay) < 2 ||
	    (!lost && (stop_kind(replay) != STOP_EVENT || gdb_was_interrupted(gdb))))
		return true;
	if (!lost && !position_update(replay, failure))
		return false;
	if (!crossing_is_reached(replay, replay_now(replay)->event))
		return true;
	if (!crossing_enter(replay, images_at(replay) + 1, failure))
		return false;
	replay_run(replay)->crossed = true;
	return true;
}

static bool resume_once(
    struct replay *replay, const struct resumption *resumption, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	enum gdb_outcome outcome;
	bool ok;

	if (resumption->direction == FORWARD)
		crossing_await(replay);
	outcome = resume_guarded(replay, resumption);
	if (outcome == GDB_REFUSED && (have_too_many(replay) || look_again(replay)))
		outcome = resume_guarded(replay, resumption);
	while (outcome == GDB_DONE && !resumption->stepping && stubs_stopped(replay))
		outcome = resume_guarded(replay, resumption);
	ok = gdb_check(gdb, outcome, ERROR_INVALID_ARGUMENT, NULL, failure);
	if (outcome == GDB_LOST && resumption->direction == BACKWARD &&
	    replay_worker(replay)->restorable)
		failure_set_hint(failure,
		    "the next call restores the session where it stood; rr cannot go back this "
		    "way: rr_goto an earlier moment, or rr_continue with reverse to a breakpoint");
	if (!ok)
		breakpoints_explain(replay, failure);
	else if (resumption->direction == FORWARD)
		ok = cross_forward(replay, failure);
	gdb_expect_end(gdb, false);
	return ok;
}

/* Goes back to where it began, because nobody knows where gdb would have stopped. */
static bool give_up(
    struct replay *replay, const struct return_ticket *before, struct failure *failure)
{
	if (return_ticket_use(replay, before, failure))
		failure_set(failure, ERROR_UNSUPPORTED,
		    "the session stands where it did: go back with rr_continue to a breakpoint or "
		    "a watchpoint, or with rr_goto",
		    "gdb cannot step back from here: a thread begins on the way");
	return false;
}

bool resume_run(struct replay *replay, const struct resumption *resumption, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);
	const struct moment *now = replay_now(replay);
	struct return_ticket before;
	bool again;

	if (resumption->direction == BACKWARD && crossing_is_behind(replay)) {
		replay_run(replay)->crossed = resumption->stepping;
		if (!cross_backward(replay, failure) || resumption->stepping)
			return !failure->message[0];
	}
	before = return_ticket_here(replay);
	again = resumption->direction == BACKWARD &&
		(replay_is_at_signal(replay) || (resumption->stepping && replay_is_at_end(replay)));
	if (!resume_once(replay, resumption, failure))
		return false;
	if (resumption->direction == BACKWARD && gdb_stepped_before_thread(gdb))
		return give_up(replay, &before, failure);
	if (!again || gdb_was_interrupted(gdb) || stop_kind(replay) != STOP_SIGNAL)
		return true;
	if (!position_update(replay, failure))
		return false;
	if (now->ticks != before.moment.ticks || now->pc != before.moment.pc ||
	    now->tid != before.moment.tid)
		return true;
	return resume_once(replay, resumption, failure);
}
