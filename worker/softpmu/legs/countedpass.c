/*
 * It must never let a pass go on uncounted: what it cannot explain goes to rr and gdb.
 */
#include "worker/softpmu/legs/countedpass.h"

#include "worker/softpmu/cache/passcount.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/conditions.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/softpmu/translate/conditioncode.h"

/* Lets the code note the pass with this key. False: it was to do so already, and asks again. */
static bool give(const struct arena *arena, uint64_t key, uint64_t given_before, bool was_full)
{
	if (!passcount_know(arena, key) && !was_full && given_before == key)
		return false;
	*arena_slot(arena, ARENA_SLOT_GIVEN) = key;
	return true;
}

uint64_t countedpass_answer(struct conditions *conditions, const struct tracee *tracee,
    uint64_t trap, const struct user_regs_struct *there)
{
	const struct space *space = tracee->space;
	const bool was_full = passcount_is_full(&space->arena);
	const uint64_t given_before = *arena_slot(&space->arena, ARENA_SLOT_GIVEN);
	struct pass_noted noted;

	*arena_slot(&space->arena, ARENA_SLOT_GIVEN) = 0;
	if (space->watches.level != WATCH_NOTHING)
		return 0;
	passcount_take(conditions, tracee, &space->arena); /* a condition may ask for it */
	switch (conditions_pass(conditions, there->rip, tracee->tid, there, &noted)) {
	case PASS_IS_NOT_MEANT:
		return trap + 1;
	case PASS_COUNTS:
		if (conditions_find(conditions, there->rip)->keyed &&
		    give(&space->arena, noted.key, given_before, was_full))
			return conditioncode_behind(&space->arena, trap);
		return 0;
	case PASS_MAY_HOLD:
	case PASS_HAS_NEW_KEY:
		return 0;
	}
	return 0;
}
