/*
 * It must never let a pass go on uncounted: what it cannot explain goes to rr and gdb.
 */
#include "worker/softpmu/legs/countedpass.h"

#include "worker/softpmu/cache/passcount.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/traps/conditions.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/softpmu/translate/conditioncode.h"

uint64_t countedpass_answer(struct conditions *conditions, const struct tracee *tracee,
    uint64_t trap, const struct user_regs_struct *there)
{
	const struct space *space = tracee->space;
	const bool was_full = passcount_is_full(&space->arena);
	uint64_t key;

	if (space->watches.level != WATCH_NOTHING)
		return 0;
	passcount_take(conditions, tracee, &space->arena); /* a condition may ask for it */
	switch (conditions_pass(conditions, there->rip, tracee->tid, there, &key)) {
	case PASS_IS_NOT_MEANT:
		return trap + 1;
	case PASS_COUNTS:
		if (conditions_find(conditions, there->rip)->keyed &&
		    (passcount_know(&space->arena, key) || was_full))
			return conditioncode_behind(&space->arena, trap);
		return 0;
	case PASS_MAY_HOLD:
	case PASS_HAS_NEW_KEY:
		return 0;
	}
	return 0;
}
