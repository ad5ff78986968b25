/*
 * Sets the breakpoint whose condition counts, and reads the sum. It must never count where a pass
 * may be more than one: an instruction that repeats itself begins with each repetition.
 */
#include "worker/investigate/search/counted.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/pmu/pmu.h"
#include "worker/gdb/mi.h"
#include "worker/breaks/breakpoints.h"
#include "worker/breaks/hardware.h"
#include "worker/breaks/temporary_breakpoint.h"
#include "worker/breaks/pending.h"
#include "worker/read/accessed.h"
#include "worker/x86/passmark.h"

bool counted_sum(struct replay *replay, unsigned long long *sum)
{
	char expression[64];

	snprintf(expression, sizeof(expression), "*(unsigned long *)%llu", PASSMARK_SUM);
	return accessed_number(replay, expression, sum);
}

static bool begins_once(struct replay *replay, const json_t *place)
{
	const char *address = mi_text(place, "addr");
	struct instruction instruction;

	return address && accessed_instruction(replay, strtoull(address, NULL, 0), &instruction) &&
	       strncmp(instruction.text, "rep", 3) != 0;
}

/* Whether each place of a breakpoint is one where passes are what is counted. */
static bool can_count(struct replay *replay, const json_t *bkpt)
{
	const json_t *places = json_object_get(bkpt, "locations"), *place;
	size_t i;

	if (!hardware_is(bkpt) || pending_waits(bkpt))
		return false;
	json_array_foreach(places, i, place)
	{
		if (!begins_once(replay, place))
			return false;
	}
	return places || begins_once(replay, bkpt);
}

int counted_begin(
    struct replay *replay, const char *location, const char *condition, unsigned long long *before)
{
	char when[REPLAY_EXPRESSION_MAX];
	struct breakpoint wanted = {.what = (char *)location, .condition = when};
	struct failure ignored = {0};
	json_t *bkpt = NULL;
	int number;

	if (strcmp(replay->pmu, pmu_kind_name(PMU_SOFTWARE)) != 0 ||
	    (size_t)snprintf(when, sizeof(when), "%s%s%s*(unsigned char *)%llu",
		condition ? "(" : "", condition ? condition : "", condition ? ") && " : "",
		PASSMARK) >= sizeof(when) ||
	    !counted_sum(replay, before))
		return 0;
	bkpt = breakpoints_insert(replay, &wanted, &ignored);
	number = mi_number(bkpt, "number", 0);
	if (number && !can_count(replay, bkpt)) {
		temporary_breakpoint_delete(replay, number);
		number = 0;
	}
	json_decref(bkpt);
	json_decref(ignored.details);
	return number;
}
