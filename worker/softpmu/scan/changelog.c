/*
 * It must never take a change for that of another store, nor one twice.
 */
#include "worker/softpmu/scan/changelog.h"

#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/recover.h"
#include "worker/x86/accesses.h"
#include "worker/x86/classify.h"
#include "worker/x86/decode.h"

static void unmark(struct space *space)
{
	struct watches *watches = &space->watches;

	watches_mark(&space->arena, watches->marked, watches->unmarked, 0);
	watches->marked = watches->unmarked = 0;
}

bool changelog_set(struct space *space, struct tally *tally, const struct tracee *tracee)
{
	struct watches *watches = &space->watches;
	const uint64_t number = tally_is_inlined(tally, tracee) ? tally->number : 0;
	const bool anew = watches->tally_number != number;

	watches->tally = tally;
	watches->tally_number = number;
	if (anew)
		unmark(space);
	return anew;
}

/* What is noted is nobody's, and the bytes are as the last change left them. */
static void begin_log(const struct arena *arena, const struct tally *tally, uint64_t room)
{
	const uint64_t most = room < ARENA_CHANGES_MAX ? room : ARENA_CHANGES_MAX;

	*arena_slot(arena, ARENA_SLOT_WATCHED) = tally->address;
	*arena_slot(arena, ARENA_SLOT_PENDING) = 0;
	*arena_slot(arena, ARENA_SLOT_ROOM) = *arena_slot(arena, ARENA_SLOT_LEFT) = most;
	arena_slot(arena, ARENA_CHANGED)[most] = ~tally_last(tally);
}

int changelog_begin(struct space *space, struct tally *tally, struct tracee *tracee)
{
	struct watches *watches = &space->watches;
	const uint64_t room = watches->tally_number ? tally_room(tally) : 0;

	if (room == 0) {
		unmark(space);
		return debug_registers_disarm(&tracee->debug, tracee->tid);
	}
	begin_log(&space->arena, tally, room);
	if (watches->marked == watches->unmarked) {
		watches->marked = tally->address;
		watches->unmarked = tally->address + tally->size;
		watches_mark(&space->arena, watches->marked, watches->unmarked, 1);
	}
	return debug_registers_blind(&tracee->debug, tracee->tid);
}

/* The log, and the change that the last store has made. */
static void take(const struct arena *arena, struct tally *tally, const struct tracee *tracee)
{
	const uint64_t pending = *arena_slot(arena, ARENA_SLOT_PENDING);
	uint64_t at = *arena_slot(arena, ARENA_SLOT_ROOM), now;

	for (const uint64_t left = *arena_slot(arena, ARENA_SLOT_LEFT); at > left && at > 0; at--)
		tally_note(tally, arena_slot(arena, ARENA_CHANGERS)[at - 1],
		    ~arena_slot(arena, ARENA_CHANGED)[at - 1]);
	if (pending && tally_now(tally, tracee, &now) && now != tally_last(tally))
		tally_note(tally, pending, now);
}

static bool is_on(const struct space *space)
{
	return space->watches.marked != space->watches.unmarked;
}

void changelog_end(struct space *space, struct tally *tally, struct tracee *tracee)
{
	if (!is_on(space))
		return;
	take(&space->arena, tally, tracee);
	*arena_slot(&space->arena, ARENA_SLOT_ROOM) = *arena_slot(&space->arena, ARENA_SLOT_LEFT);
	*arena_slot(&space->arena, ARENA_SLOT_PENDING) = 0;
	debug_registers_disarm(&tracee->debug, tracee->tid);
}

/* Whether the instruction at rip may write to the bytes; *end: where it ends, *once: it writes
 * once, at an address that is told beforehand. */
static bool touches(const struct tally *tally, const struct tracee *tracee,
    const struct user_regs_struct *there, uint64_t *end, bool *once)
{
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	const size_t length = memory_read_code(tracee->tid, there->rip, bytes, sizeof bytes);
	struct classified in;
	struct accesses accesses;
	bool touched = false;

	*once = true;
	*end = 0;
	if (length == 0 || !classify(there->rip, bytes, length, &in))
		return true;
	*end = there->rip + in.z.length;
	accesses_of(bytes, in.z.length, there->rip, &accesses);
	for (unsigned i = 0; i < accesses.count; i++) {
		const struct access *access = &accesses.list[i];
		uint64_t first, last;

		if (!access->writes)
			continue;
		accesses_range(access, there, NULL, true, &first, &last);
		touched |= first < tally->address + tally->size && tally->address < last;
		*once &= watches_table(access) != 0;
	}
	return touched;
}

bool changelog_answer(struct space *space, struct tally *tally, const struct tracee *tracee,
    const struct place *place, const struct user_regs_struct *regs)
{
	const bool is_full = place->distance > 0;
	const struct user_regs_struct there = recover_question(space, place, regs);
	uint64_t store, room;
	bool touched, once;

	if (!is_on(space))
		return true; /* the debug registers are in force */
	take(&space->arena, tally, tracee);
	room = tally_room(tally);
	begin_log(&space->arena, tally, room);
	touched = touches(tally, tracee, &there, &store, &once);
	if (room == 0 || !store)
		return false;
	if (!once)
		return !touched;
	if (!is_full) {
		switch (tally_ask(tally, store, touched)) {
		case TALLY_ASKS_AGAIN:
			return false;
		case TALLY_NEEDS_NO_ASK:
			return true;
		case TALLY_IS_INLINE:
			blocks_forget(space->blocks, there.rip, store);
		}
	}
	*arena_slot(&space->arena, ARENA_SLOT_PENDING) = store;
	return true;
}
