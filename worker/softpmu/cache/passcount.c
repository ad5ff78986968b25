/*
 * Counts for the process that has such a breakpoint in its debug registers, and for no other: a
 * forked child runs the same translations.
 */
#include "worker/softpmu/cache/passcount.h"

#include <string.h>

#include "worker/softpmu/cache/arena.h"
#include "worker/softpmu/traps/conditions.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/softpmu/cache/watches.h"
#include "worker/x86/passmark.h"

static bool counts(
    const struct conditions *conditions, const struct debug_registers *debug, uint64_t address)
{
	const struct condition *condition = conditions_find(conditions, address);

	return condition && condition->counts && watches_reached(debug, address);
}

void passcount_note(
    struct conditions *conditions, const struct tracee *tracee, const struct user_regs_struct *regs)
{
	if (counts(conditions, &tracee->debug, regs->rip) &&
	    conditions_mark(conditions, regs->rip, tracee->tid, regs))
		conditions->passes++;
}

void passcount_clear(const struct arena *arena)
{
	*arena_slot(arena, ARENA_SLOT_PASSES) = 0;
}

void passcount_take(
    struct conditions *conditions, const struct tracee *tracee, const struct arena *arena)
{
	bool meant = false;

	if (*arena_slot(arena, ARENA_SLOT_PASSES) == 0)
		return;
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
		meant |= counts(conditions, &tracee->debug, tracee->debug.rr_address[i]);
	if (meant)
		conditions->passes += *arena_slot(arena, ARENA_SLOT_PASSES);
	passcount_clear(arena);
}

bool passcount_read(
    const struct conditions *conditions, uint64_t address, void *buffer, size_t size)
{
	if (address == PASSMARK_SUM && size == sizeof conditions->passes)
		memcpy(buffer, &conditions->passes, size);
	else
		return false;
	return true;
}
