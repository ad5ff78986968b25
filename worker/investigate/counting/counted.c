/*
 * Sets the breakpoint whose condition counts, and reads the sum. It must never count where a pass
 * may be more than one: an instruction that repeats itself begins with each repetition.
 */
#include "worker/investigate/counting/counted.h"

#include <stdlib.h>
#include "worker/gdb/mi/mi.h"
#include "worker/breaks/placement.h"
#include "worker/breaks/places/hardware.h"
#include "worker/breaks/places/temporary_breakpoint.h"
#include "worker/breaks/places/pending.h"
#include "worker/breaks/passes.h"
#include "worker/session/breakpoint.h"

/* Whether passes are what is counted at a place of a breakpoint. Sets *at_end if it is at `end`. */
static bool can_count_at(
    struct replay *replay, const json_t *place, unsigned long long end, bool *at_end)
{
	unsigned long long address = mi_address(place, "addr");

	*at_end |= end && address == end;
	return address && passes_begin_once(replay, address);
}

/* The same of all its places. */
static bool can_count(struct replay *replay, const struct counted *counted, const json_t *bkpt,
    unsigned long long end, bool *at_end)
{
	const json_t *place;

	if (!hardware_is(bkpt) || pending_waits(bkpt))
		return false;
	/* At another place the expression can have another type. */
	if ((counted->by_value || counted->value) && mi_breakpoint_place(bkpt, 1))
		return false;
	for (size_t i = 0; (place = mi_breakpoint_place(bkpt, i)); i++)
		if (!can_count_at(replay, place, end, at_end))
			return false;
	return true;
}

/* gdb's number, or 0. *at_end: one of its places is where the stretch ends. */
static int set(struct replay *replay, const struct counted *counted, const char *when, bool *at_end)
{
	const struct fingerprint *end = counted->end;
	struct breakpoint wanted = {.what = (char *)counted->location,
	    .condition = (char *)when,
	    .is_ours = !counted->condition && !counted->value && !counted->by_value};
	cleanup_failure struct failure ignored = {0};
	json_auto_t *bkpt = placement_set(replay, &wanted, &ignored);
	int number = mi_number(bkpt, "number", 0);

	*at_end = false;
	if (number && !can_count(replay, counted, bkpt, end ? end->moment.pc : 0, at_end)) {
		temporary_breakpoint_delete(replay, number);
		number = 0;
	}
	return number;
}

static bool write_condition(
    char to[PASSES_CONDITION_MAX], const struct counted *counted, const char *stop)
{
	if (counted->key)
		return passes_condition_by(
		    to, counted->condition, stop, counted->key, counted->value);
	return counted->stops_at_next ? passes_condition_next(to, counted->condition, stop)
				      : passes_condition(to, counted->condition, stop, NULL);
}

/* Where the location is at the end itself: it stops there too. Takes the number of the one that
 * does not. */
static int set_at_end(struct replay *replay, const struct counted *counted, int number)
{
	char here[FINGERPRINT_CONDITION_MAX], when[PASSES_CONDITION_MAX];
	bool at_end;

	temporary_breakpoint_delete(replay, number);
	return fingerprint_condition(counted->end, here) && write_condition(when, counted, here)
		   ? set(replay, counted, when, &at_end)
		   : 0;
}

static bool fits(struct replay *replay)
{
	cleanup_failure struct failure full = {0};
	enum hardware_room room = hardware_room(replay, &full);

	return room == HARDWARE_FITS;
}

/* Only for a guard that fits is the old one given up. */
static bool renew_guard(
    struct replay *replay, const struct fingerprint *end, bool at_end, int *guard)
{
	int better = at_end ? 0 : fingerprint_guard_in_hardware(replay, end);

	if ((!at_end && !better) || !fits(replay)) {
		temporary_breakpoint_delete(replay, better);
		return false;
	}
	temporary_breakpoint_delete(replay, *guard);
	*guard = better;
	return true;
}

void counted_guard(struct replay *replay, const struct fingerprint *end, int *guard)
{
	unsigned long long sum;

	if (passes_sum(replay, &sum))
		renew_guard(replay, end, false, guard);
}

int counted_begin(
    struct replay *replay, const struct counted *counted, int *guard, unsigned long long *before)
{
	char when[PASSES_CONDITION_MAX];
	bool at_end;
	int number;

	if (!write_condition(when, counted, NULL) || !passes_sum(replay, before))
		return 0;
	number = set(replay, counted, when, &at_end);
	if (number && at_end)
		number = set_at_end(replay, counted, number);
	if (number && counted->end && !renew_guard(replay, counted->end, at_end, guard)) {
		temporary_breakpoint_delete(replay, number);
		return 0;
	}
	return number;
}
