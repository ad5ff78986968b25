/*
 * gdb sets the breakpoint. Where it stops, we evaluate the condition once more.
 */
#include "worker/investigate/search/location_hits.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/mi/says.h"
#include "worker/gdb/must.h"
#include "worker/read/values/accessed.h"
#include "worker/breaks/placement.h"
#include "worker/read/names/names.h"
#include "worker/breaks/places/pending.h"
#include "worker/moment/position.h"
#include "worker/moment/return_ticket.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/values/values.h"
#include "worker/run/sweep/waiting.h"
#include "worker/session/breakpoint.h"
#include "worker/session/taught.h"

/* Goes to where the program first has it. True: it waits there, or, where that is not known, here.
 */
static bool go_where_it_is(
    struct replay *replay, const char *location, struct moment *earliest, struct failure *failure)
{
	struct return_ticket here = return_ticket_hold(replay);
	cleanup_failure struct failure unreturned = {0};
	char note[WAITING_NOTE_MAX];
	bool there, ok = waiting_go(replay, location, &there, note, failure);

	if (ok && there)
		*earliest = *replay_now(replay);
	else if (!replay_worker(replay)->broken)
		ok &= return_ticket_use(replay, &here, ok ? failure : &unreturned);
	return_ticket_release(replay, &here);
	return ok;
}

/* Whether something has it that is not loaded here: after gdb refused it. */
static bool waits(
    struct replay *replay, const char *location, struct moment *earliest, struct failure *refused)
{
	char note[WAITING_NOTE_MAX];
	struct failure failure = {0};

	if (pending_is_likely(replay, location, false, refused))
		return earliest ? go_where_it_is(replay, location, earliest, refused)
				: waiting_find(replay, location, note, refused);
	if (waiting_find_elsewhere(replay, location, refused, note, &failure))
		return true;
	if (failure.message[0])
		*refused = failure;
	return false;
}

int location_hits_set(struct replay *replay, const char *location, const char *condition,
    struct moment *earliest, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	struct breakpoint wanted = {.what = (char *)location, .condition = (char *)condition};
	json_auto_t *bkpt = placement_set(replay, &wanted, failure);
	int number;

	if (earliest)
		*earliest = (struct moment){0};
	replay_taught(replay)->library_late = false;
	if (!bkpt && !worker->broken && waits(replay, location, earliest, failure)) {
		*failure = (struct failure){0};
		wanted.pending = true;
		bkpt = placement_set(replay, &wanted, failure);
	}
	number = mi_number(bkpt, "number", 0);
	if (number &&
	    !placement_is_mapped(replay, bkpt, location,
		"rr_goto a moment when that address is mapped, and ask there; rr_backtrace and "
		"rr_symbols show addresses of code",
		failure))
		return 0;
	if (number)
		gdb_must(replay_gdb(replay), NULL, "-break-disable %d", number);
	else if (!worker->broken)
		names_explain(replay, location, condition, failure);
	return number;
}

bool location_hits_was_known(
    struct replay *replay, int number, const char *location, struct failure *failure)
{
	json_auto_t *results = NULL;
	bool waits;

	if (pending_was_late(replay, location, failure))
		return false;
	gdb_must(replay_gdb(replay), &results, "-break-list");
	waits = pending_waits(mi_breakpoint_row(mi_breakpoints(results), number));
	if (waits)
		pending_fail(replay, location, failure);
	return !waits;
}

bool location_hits_is_loaded(struct replay *replay, const char *location,
    unsigned long long address, struct failure *failure)
{
	uint8_t byte;

	if (!address || accessed_whole(replay, address, &byte, 1))
		return true;
	failure_set(failure, ERROR_UNSUPPORTED, "give `from`: a moment after it was loaded",
	    "the library of %.200s is not loaded at the beginning", location);
	return false;
}

void expression_fail_shapeless(const char *expression, struct failure *failure)
{
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "compare one member or element of it; rr_expand shows them",
	    "%.200s is neither true nor false: it is a structure, an array or a function",
	    expression);
}

bool expression_is_harmful(const char *expression, const char *why, struct failure *failure)
{
	if (!gdb_says(why, SAYS_WRITES_ARE_OFF) && !gdb_says(why, SAYS_CALLS_ARE_OFF))
		return false;
	failure_set(failure, ERROR_NOT_ALLOWED,
	    "compare values only: without =, ++ and calls of functions",
	    "%.200s changes the program, or calls it: %.200s", expression, why);
	return true;
}

void location_hits_count_unread(struct replay *replay, const char *why, struct hits_unread *unread)
{
	if (unread->count++)
		return;
	position_take_sum(replay);
	unread->first = *replay_now(replay);
	snprintf(unread->why, sizeof(unread->why), "%s", why);
}

json_t *location_hits_tell_unread(struct replay *replay, const struct hits_unread *unread)
{
	json_auto_t *first = NULL;

	if (!unread->count)
		return NULL;
	first = moment_name(replay, &unread->first);
	return json_sprintf("at %lld pass%s it could not be read: %s, first at %s", unread->count,
	    unread->count == 1 ? "" : "es", unread->why, json_string_value(first));
}

enum hit_kind location_hits_judge(struct replay *replay, const char *condition,
    struct hits_unread *unread, struct failure *failure)
{
	cleanup_free char *value = NULL;
	char why[256] = "";
	enum truth truth = TRUTH_UNREAD;

	if (!condition)
		return HIT_MEANT;
	value = values_text(replay, condition, why, sizeof(why));
	if (value)
		truth = expression_truth(replay, condition, value, why, sizeof(why));
	else if (expression_is_harmful(condition, why, failure))
		truth = TRUTH_REFUSED;
	switch (truth) {
	case TRUTH_NO:
		return HIT_OTHER;
	case TRUTH_YES:
		return HIT_MEANT;
	case TRUTH_UNREAD:
		location_hits_count_unread(replay, why, unread);
		return HIT_UNREAD;
	case TRUTH_REFUSED:
		break;
	}
	if (!failure->message[0])
		expression_fail_shapeless(condition, failure);
	return HIT_REFUSED;
}
