/*
 * Walks on by single instructions for as long as event and ticks stay the same, and collects what
 * the name can mean.
 */
#include "worker/moment/ambiguous.h"

#include <stdio.h>
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"

#define STEPS_MAX      200 /* then a breakpoint finds the next pass, and a bare name has enough */
#define CANDIDATES_MAX 10
#define WHERE_MAX      60

struct walk {
	const struct moment *asked;
	struct moment first, last;
	json_t *candidates; /* their names */
	char told[FAILURE_MESSAGE_MAX - 300];
	char where[WHERE_MAX]; /* of the last candidate */
	size_t count;	       /* of different instants that the name can mean */
};

static bool is_within(const struct replay *replay, const struct moment *first)
{
	const struct moment *now = replay_now(replay);

	return now->event == first->event && now->ticks == first->ticks && now->tid == first->tid &&
	       !replay_is_at_end(replay);
}

/* "add (a.c:8)" at gdb's last stop. */
static void tell_where(const struct replay *replay, char where[WHERE_MAX])
{
	const json_t *frame = json_object_get(gdb_last_stop(replay_gdb(replay)), "frame");
	const char *function = mi_text(frame, "func"), *file = mi_text(frame, "file");
	const char *line = mi_text(frame, "line"), *slash = file ? strrchr(file, '/') : NULL;

	snprintf(where, WHERE_MAX, "%.24s%s%.20s%s%.6s%s", function ? function : "??",
	    line ? " (" : "",
	    !line   ? ""
	    : slash ? slash + 1
	    : file  ? file
		    : "??",
	    line ? ":" : "", line ? line : "", line ? ")" : "");
}

/* Of a bare name's instructions, the first of each line; of an instruction, each pass. */
static void add(struct replay *replay, struct walk *walk)
{
	const struct moment *now = replay_now(replay);
	char where[WHERE_MAX];
	json_t *name;
	size_t length = strlen(walk->told);

	position_take_sum(replay);
	if (walk->count && walk->last.pc == now->pc && walk->last.sum == now->sum)
		return;
	walk->last = *now;
	walk->count++;
	tell_where(replay, where);
	if (json_array_size(walk->candidates) == CANDIDATES_MAX ||
	    (!walk->asked->pc && strcmp(where, walk->where) == 0))
		return;
	snprintf(walk->where, WHERE_MAX, "%s", where);
	name = moment_name(replay, now);
	snprintf(walk->told + length, sizeof(walk->told) - length, "%s%s in %s", length ? ", " : "",
	    json_string_value(name), where);
	json_array_append_new(walk->candidates, name);
}

static bool is_over(const struct replay *replay, const struct walk *walk)
{
	return !is_within(replay, &walk->first) ||
	       json_array_size(walk->candidates) == CANDIDATES_MAX;
}

static bool go_on(struct replay *replay, const char *how, struct failure *failure)
{
	struct gdb *gdb = replay_gdb(replay);

	return gdb_check(gdb, gdb_run(gdb, "%s", how), ERROR_RR_FAILED, NULL, failure) &&
	       position_update(replay, failure);
}

static bool steps(struct replay *replay, struct walk *walk, struct failure *failure)
{
	for (int i = 0; i < STEPS_MAX && !is_over(replay, walk); i++) {
		if (!go_on(replay, "-exec-step-instruction", failure))
			return false;
		if (is_within(replay, &walk->first) &&
		    (!walk->asked->pc || replay_now(replay)->pc == walk->asked->pc))
			add(replay, walk);
	}
	return true;
}

/* Long code without a branch: from pass to pass. */
static bool passes(struct replay *replay, struct walk *walk, struct failure *failure)
{
	char where[32];
	bool ok = true;
	int number;

	if (is_over(replay, walk) || !walk->asked->pc)
		return true;
	snprintf(where, sizeof(where), "-h *0x%llx", walk->asked->pc);
	number = temporary_breakpoint_insert(replay, where);
	if (!number)
		return true;
	while (ok && !is_over(replay, walk)) {
		ok = go_on(replay, "-exec-continue", failure);
		if (ok && is_within(replay, &walk->first))
			add(replay, walk);
	}
	temporary_breakpoint_delete(replay, number);
	return ok;
}

static void fail(const struct walk *walk, struct failure *failure)
{
	const struct moment *asked = walk->asked;
	char pc[24] = "";

	if (asked->pc)
		snprintf(pc, sizeof(pc), "@%llx", asked->pc);
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "give one of these; answers name moments in full, as event:ticks@pc.sum",
	    "%lld:%lld%s can mean several %s: %s%s", asked->event, asked->ticks, pc,
	    asked->pc ? "passes of this instruction" : "instructions", walk->told,
	    walk->count > json_array_size(walk->candidates) ? ", and more" : "");
	failure->details = json_pack("{s:O}", "candidates", walk->candidates);
}

bool ambiguous_settle(struct replay *replay, const struct moment *asked, struct failure *failure)
{
	struct walk walk = {.asked = asked};
	struct return_ticket first;
	bool ok = true;

	if (replay_is_at_end(replay))
		return true;
	breakpoints_suspend(replay);
	first = return_ticket_hold(replay);
	walk.first = *replay_now(replay);
	walk.candidates = json_array();
	add(replay, &walk);
	ok = steps(replay, &walk, failure) && passes(replay, &walk, failure);
	if (ok && walk.count > 1) {
		fail(&walk, failure);
		ok = false;
	} else if (ok) {
		ok = return_ticket_use(replay, &first, failure);
	}
	return_ticket_release(replay, &first);
	json_decref(walk.candidates);
	breakpoints_resume(replay);
	return ok;
}
