/*
 * Counts for the process that has such a breakpoint in its debug registers, and for no other: a
 * forked child runs the same translations, and vfork's child has the same breakpoints too.
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

bool passcount_counts(
    const struct conditions *conditions, const struct tracee *tracee, uint64_t address)
{
	const struct condition *condition = conditions_find(conditions, address);

	return condition && condition->counts && tracee->borrower == conditions->debugged &&
	       watches_reached(&tracee->debug, address);
}

/* A breakpoint of rr's stands there: the instruction begins when rr has stepped over that. */
static bool is_covered(pid_t tid, uint64_t address)
{
	uint8_t first = 0;

	return memory_read(tid, address, &first, sizeof first) && first == INT3;
}

bool passcount_begins(const struct tracee *tracee, const struct user_regs_struct *regs)
{
	return !watches_trap_first(&tracee->debug, regs) && !is_covered(tracee->tid, regs->rip);
}

void passcount_note(
    struct conditions *conditions, const struct tracee *tracee, const struct user_regs_struct *regs)
{
	struct pass_noted noted;

	/* A pass that the processor stops first is judged by rr and gdb. */
	if (!passcount_counts(conditions, tracee, regs->rip) || !passcount_begins(tracee, regs))
		return;
	switch (conditions_pass(conditions, regs->rip, tracee->tid, regs, &noted)) {
	case PASS_COUNTS:
		conditions->passes++;
		if (conditions_find(conditions, regs->rip)->keyed)
			passkeys_count(
			    &conditions->keys, noted.key, noted.value, conditions->passes);
		break;
	case PASS_HAS_NEW_KEY:
		conditions->keys.state |= KEYS_LOST;
		break;
	case PASS_IS_NOT_MEANT:
	case PASS_MAY_HOLD:
		break;
	}
}

/* A place of the table that holds no key of its own holds one of another place. */
static void forget_keys(const struct arena *arena)
{
	uint64_t *known = arena_slot(arena, ARENA_KNOWN);

	memset(known, 0, sizeof *known << ARENA_KNOWN_BITS);
	known[0] = 1;
}

bool passcount_know(const struct arena *arena, const uint64_t key)
{
	uint64_t *known = &arena_slot(arena, ARENA_KNOWN)[passcount_place(key)];
	const bool is_new = *known != key;

	*known = key;
	return is_new;
}

uint32_t passcount_place(uint64_t key)
{
	return (uint32_t)key * PASSCOUNT_FACTOR >> (32 - ARENA_KNOWN_BITS);
}

bool passcount_is_full(const struct arena *arena)
{
	return *arena_slot(arena, ARENA_SLOT_PASSES) >= ARENA_LOG_MAX;
}

void passcount_begin(const struct conditions *conditions, const struct arena *arena)
{
	*arena_slot(arena, ARENA_SLOT_PASSES) = 0;
	*arena_slot(arena, ARENA_SLOT_PASSED) = conditions->passes;
	*arena_slot(arena, ARENA_SLOT_NEXT) = conditions->keys.next;
	*arena_slot(arena, ARENA_SLOT_GIVEN) = 0;
	if (*arena_slot(arena, ARENA_SLOT_KEYS) != conditions->keys.number)
		forget_keys(arena);
	*arena_slot(arena, ARENA_SLOT_KEYS) = conditions->keys.number;
}

static void take_log(struct conditions *conditions, const struct arena *arena, bool adds)
{
	const uint64_t count = *arena_slot(arena, ARENA_SLOT_PASSES);
	const uint64_t *values = arena_slot(arena, ARENA_VALUES);

	if (count > ARENA_LOG_MAX)
		conditions->keys.state |= KEYS_LOST;
	for (uint64_t i = 0; i < count && i < ARENA_LOG_MAX; i++)
		passkeys_count(&conditions->keys, arena_slot(arena, ARENA_LOG)[i],
		    adds ? values[i] : 0, conditions->passes + i + 1);
}

void passcount_take(
    struct conditions *conditions, const struct tracee *tracee, const struct arena *arena)
{
	bool meant = false, keyed = false, adds = false;

	if (*arena_slot(arena, ARENA_SLOT_PASSES) == 0)
		return;
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		const uint64_t address = tracee->debug.rr_address[i];

		if (!passcount_counts(conditions, tracee, address))
			continue;
		meant = true;
		keyed |= conditions_find(conditions, address)->keyed;
		adds |= conditions_find(conditions, address)->adds;
	}
	if (meant && keyed)
		take_log(conditions, arena, adds);
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
		return passkeys_read(&conditions->keys, address, buffer, size);
	return true;
}
