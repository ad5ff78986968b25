/*
 * Counts for the process that has such a breakpoint in its debug registers, and for no other: a
 * forked child runs the same translations.
 */
#include "worker/softpmu/cache/passcount.h"

#include <string.h>

#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/arena.h"
#include "worker/softpmu/traps/conditions.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/softpmu/cache/watches.h"
#include "worker/x86/passmark.h"

enum { INT3 = 0xcc };

static bool counts(
    const struct conditions *conditions, const struct debug_registers *debug, uint64_t address)
{
	const struct condition *condition = conditions_find(conditions, address);

	return condition && condition->counts && watches_reached(debug, address);
}

/* A breakpoint of rr's stands there: the instruction begins when rr has stepped over that. */
static bool is_covered(pid_t tid, uint64_t address)
{
	uint8_t first = 0;
	struct iovec local = {&first, sizeof first};
	struct iovec remote = {(void *)(uintptr_t)address, sizeof first};

	return memory_read(tid, &local, 1, &remote, 1) == sizeof first && first == INT3;
}

void passcount_note(
    struct conditions *conditions, const struct tracee *tracee, const struct user_regs_struct *regs)
{
	/* A pass that the processor stops first is judged by rr and gdb. */
	if (counts(conditions, &tracee->debug, regs->rip) &&
	    !watches_trap_first(&tracee->debug, regs) && !is_covered(tracee->tid, regs->rip) &&
	    conditions_mark(conditions, regs->rip, tracee->tid, regs))
		conditions->passes++;
}

void passcount_begin(const struct conditions *conditions, const struct arena *arena)
{
	*arena_slot(arena, ARENA_SLOT_PASSES) = 0;
	*arena_slot(arena, ARENA_SLOT_PASSED) = conditions->passes;
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
	passcount_begin(conditions, arena);
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
