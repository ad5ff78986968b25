/*
 * Sets the breakpoint whose condition counts, and reads the sum. It must never count where a pass
 * may be more than one: an instruction that repeats itself begins with each repetition.
 */
#include "worker/investigate/counting/counted.h"

#include <stdlib.h>
#include "worker/gdb/mi/mi.h"
#include "worker/breaks/placement.h"
#include "worker/breaks/hardware.h"
#include "worker/breaks/temporary_breakpoint.h"
#include "worker/breaks/pending.h"
#include "worker/breaks/passes.h"
#include "worker/session/breakpoint.h"

bool counted_sum(struct replay *replay, unsigned long long *sum)
{
	return passes_sum(replay, sum);
}

static bool begins_once(struct replay *replay, const json_t *place)
{
	unsigned long long address = mi_address(place, "addr");

	return address && passes_begin_once(replay, address);
}

/* Whether each place of a breakpoint is one where passes are what is counted. */
static bool can_count(struct replay *replay, const json_t *bkpt)
{
	const json_t *place;

	if (!hardware_is(bkpt) || pending_waits(bkpt))
		return false;
	for (size_t i = 0; (place = mi_breakpoint_place(bkpt, i)); i++)
		if (!begins_once(replay, place))
			return false;
	return true;
}

int counted_begin(
    struct replay *replay, const char *location, const char *condition, unsigned long long *before)
{
	char when[PASSES_CONDITION_MAX];
	struct breakpoint wanted = {.what = (char *)location, .condition = when};
	struct failure ignored = {0};
	json_t *bkpt = NULL;
	int number;

	if (!passes_condition(when, condition, NULL, NULL) || !passes_sum(replay, before))
		return 0;
	bkpt = placement_set(replay, &wanted, &ignored);
	number = mi_number(bkpt, "number", 0);
	if (number && !can_count(replay, bkpt)) {
		temporary_breakpoint_delete(replay, number);
		number = 0;
	}
	json_decref(bkpt);
	json_decref(ignored.details);
	return number;
}
