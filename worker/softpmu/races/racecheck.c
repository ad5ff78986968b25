/*
 * What is asked for, and what the code in the cache is to note. It must never leave a check on that
 * nobody has asked for.
 */
#include "worker/softpmu/races/racecheck.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "worker/softpmu/base/address.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/masks.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/base/packet.h"
#include "worker/softpmu/cache/recover.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/base/addressset.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/x86/decode.h"

enum {
	RSP = 4,
	VECTOR = 16,
	TURN_MAX = 0xd000, /* a log of turns fits behind it */
};

/* ---- Packets --------------------------------------------------------------------------------- */

static void forget_pass(struct racecheck *check)
{
	raceclocks_free(&check->clocks);
	racecells_free(&check->cells);
	racetables_free(&check->tables);
	if (check->pair)
		memset(check->pair, 0, RACE_PAIRS * sizeof *check->pair);
	memset(check->cleared, 0, sizeof check->cleared);
	check->wanted_count = 0;
	check->memory = (struct memory_of){0};
	check->turn = 1;
	check->last = RACE_NOBODY;
	check->table = (struct race_table){.state = RACE_ON};
	check->number++;
	check->shown = check->introduced = false;
}

static void end(struct racecheck *check)
{
	const uint64_t number = check->number;

	if (check->table.state == 0)
		return;
	forget_pass(check);
	free(check->ordered);
	free(check->ordering);
	free(check->page);
	free(check->pair);
	memset(check, 0, sizeof *check);
	check->number = number + 1;
}

static void begin(struct racecheck *check)
{
	end(check);
	check->ordered = calloc(RACE_ORDERED, sizeof *check->ordered);
	check->ordering = calloc(RACE_ORDERING, sizeof *check->ordering);
	check->page = calloc(RACE_PAGES, sizeof *check->page);
	check->pair = calloc(RACE_PAIRS, sizeof *check->pair);
	check->table.state = RACE_ON;
	if (!check->ordered || !check->ordering || !check->page || !check->pair) {
		end(check);
		return;
	}
	forget_pass(check);
	check->learns = true;
}

static void begin_again(struct racecheck *check)
{
	forget_pass(check);
	check->learns = false;
}

static int compare(const void *a, const void *b)
{
	const struct race_pair *one = a, *other = b;

	/* What is not there comes last. */
	return one->later.number - 1 < other->later.number - 1	 ? -1
	       : one->later.number - 1 > other->later.number - 1 ? 1
								 : 0;
}

/* Nothing is added to them any more. */
static void show_pairs(struct racecheck *check, uint64_t first)
{
	qsort(check->pair, RACE_PAIRS, sizeof *check->pair, compare);
	memset(check->table.pair, 0, sizeof check->table.pair);
	for (size_t i = 0; i < RACE_PAIRS_PAGE && first + i < check->table.pairs; i++)
		check->table.pair[i] = check->pair[first + i];
	check->shown = false;
}

void racecheck_take(struct racecheck *check, const char *packet)
{
	uint64_t number[PACKET_NUMBERS];
	const char *asked = packet_read(packet, "QRRWarden.race:", number);

	if (*packet == '\0')
		end(check);
	if (!asked)
		return;
	if (*asked == 'b')
		return begin(check);
	if (check->table.state == 0)
		return;
	switch (*asked) {
	case 'n':
		return begin_again(check);
	case 'l':
		return range_add(
		    check->library, &check->libraries, RACE_CODE, number[0], number[1]);
	case 'x':
		return range_add(
		    check->left_out, &check->left_outs, RACE_CODE, number[0], number[1]);
	case 'y':
		racecheck_order(check, number[0]);
		return;
	case 's':
		check->shown = number[0] != 0;
		return;
	case 'w':
		if (check->wanted_count < RACE_WANTED)
			check->wanted[check->wanted_count++] = number[0];
		return;
	case 'p':
		return show_pairs(check, number[0]);
	default:
		end(check);
	}
}

bool racecheck_read(struct racecheck *check, int fd, uint64_t address, void *buffer, size_t size)
{
	if (check->table.state == 0 ||
	    !address_is_part(address, size, RACEMARK, sizeof check->table))
		return false;
	tracees_name_memory(&check->memory, fd);
	if (check->clocks.full || check->cells.full)
		check->table.state |= RACE_LOST;
	check->table.threads = check->clocks.threads;
	memcpy(buffer, (const char *)&check->table + (address - RACEMARK), size);
	return true;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static unsigned begin_thread(struct racecheck *check, const struct tracee *tracee)
{
	const bool known = tracee->race_born == check->number;
	const unsigned thread =
	    raceclocks_add(&check->clocks, known ? tracee->race_parent : RACE_NOBODY);

	if (!known && check->clocks.threads > 1)
		check->table.state |= RACE_ORPHANS;
	if (known && thread < RACE_THREADS)
		check->cleared[thread] = tracee->race_cleared;
	return thread;
}

bool racecheck_is_on(struct racecheck *check, struct tracee *tracee)
{
	if (!check || check->table.state == 0 || !check->memory.process)
		return false;
	if (tracee->race != check->number) {
		tracee->race = check->number;
		tracee->race_member = tracees_run_in(&check->memory, tracee);
		tracee->race_thread = tracee->race_member ? begin_thread(check, tracee) : 0;
	}
	return tracee->race_member && tracee->race_thread < RACE_THREADS;
}

/* It runs now. */
static void enter(struct racecheck *check, const struct tracee *tracee)
{
	if (check->last != tracee->race_thread)
		check->turn++;
	check->last = tracee->race_thread;
	if (check->turn < TURN_MAX)
		return;
	racetables_clear(&check->tables);
	check->turn = 1;
}

/* ---- The code in the cache ------------------------------------------------------------------- */

bool racecheck_is_library(const struct racecheck *check, uint64_t pc)
{
	return range_has(check->library, check->libraries, pc);
}

static bool is_atomic(const struct classified *in)
{
	return (in->z.attributes & ZYDIS_ATTRIB_HAS_LOCK) || in->z.mnemonic == ZYDIS_MNEMONIC_XCHG;
}

/* The C library's functions for strings read whole vectors, and make nothing of what lies behind
 * the string. */
static bool is_library_vector(
    const struct racecheck *check, uint64_t pc, const struct access *access)
{
	return access->reads && !access->writes && access->size >= VECTOR &&
	       racecheck_is_library(check, pc);
}

static enum race_look looks(
    const struct racecheck *check, const struct classified *in, const struct access *access)
{
	if (access->flushes || !(access->reads || access->writes) || access->segment ||
	    access->base == RSP || range_has(check->left_out, check->left_outs, in->address))
		return RACE_LOOKS_AWAY;
	if (access->kind == ACCESS_STRING)
		return RACE_ASKS;
	if (access->kind != ACCESS_PLAIN || access->size == 0 || access->size > 64)
		return RACE_LOOKS_AWAY;
	if (is_library_vector(check, in->address, access))
		return RACE_LOOKS_AWAY;
	if (accesses_is_masked(access) || racelayout_size_log(access->size) == RACE_SIZES ||
	    (!access->relative && access->displacement != (int32_t)access->displacement))
		return RACE_ASKS;
	if (is_atomic(in))
		return RACE_ORDERS;
	if (addressset_has(check->ordering, RACE_ORDERING, in->address))
		return RACE_ORDERS_PLAINLY;
	return RACE_NOTES;
}

/* The caller, who learns which code is whose, sees the second thread when it has just begun. */
static bool introduces(const struct racecheck *check)
{
	return check->learns && !check->introduced && check->last == 1;
}

/* How many accesses may be noted before somebody looks. */
static uint64_t room(const struct racecheck *check)
{
	uint64_t most = introduces(check) ? 1 : ARENA_TOUCHES_MAX;

	for (size_t i = 0; i < check->wanted_count; i++) {
		if (check->wanted[i] > check->table.noted &&
		    check->wanted[i] - check->table.noted < most)
			most = check->wanted[i] - check->table.noted;
	}
	return most;
}

static void begin_log(const struct racecheck *check, const struct arena *arena)
{
	*arena_slot(arena, ARENA_SLOT_ONE_TURN) = 1ull << RACE_TURN_BIT;
	*arena_slot(arena, ARENA_SLOT_TURN) = check->turn << RACE_TURN_BIT;
	*arena_slot(arena, ARENA_SLOT_TABLES) = check->tables.there;
	*arena_slot(arena, ARENA_SLOT_TOUCH_ROOM) = *arena_slot(arena, ARENA_SLOT_TOUCHES) =
	    room(check);
}

bool racecheck_set(struct racecheck *check, struct space *space, struct tracee *tracee,
    const struct user_regs_struct *regs)
{
	struct watches *watches = &space->watches;
	bool on = racecheck_is_on(check, tracee), anew;

	if (on && !check->tables.memory && !racetables_map(&check->tables, tracee->tid, regs)) {
		check->table.state |= RACE_UNMAPPED;
		on = false;
	}
	anew = watches->race_number != (on ? check->number : 0);
	watches->races = check;
	watches->race_looks = looks;
	watches->race_number = on ? check->number : 0;
	if (!on)
		return anew;
	enter(check, tracee);
	begin_log(check, &space->arena);
	return anew;
}

/* What is in the log. */
static void drain(struct racecheck *check, struct space *space, const struct tracee *tracee)
{
	const uint64_t left = *arena_slot(&space->arena, ARENA_SLOT_TOUCHES);
	uint64_t at = *arena_slot(&space->arena, ARENA_SLOT_TOUCH_ROOM);

	for (; at > left && at > 0; at--) {
		const uint64_t toucher = arena_slot(&space->arena, ARENA_TOUCHERS)[at - 1];
		const struct race_access access = {
		    .pc = toucher & ((1ull << RACE_LOG_SIZE_BIT) - 1),
		    .start = arena_slot(&space->arena, ARENA_TOUCHED)[at - 1],
		    .size = 1u << (toucher >> RACE_LOG_SIZE_BIT & 7),
		    .kind = (uint32_t)(toucher >> RACE_LOG_KIND_BIT & 3),
		};

		racecheck_note(check, space, tracee->race_thread, &access);
	}
	check->turn = *arena_slot(&space->arena, ARENA_SLOT_TURN) >> RACE_TURN_BIT;
	enter(check, tracee);
	begin_log(check, &space->arena);
}

void racecheck_end_leg(struct racecheck *check, struct space *space, struct tracee *tracee)
{
	if (space->watches.race_number && racecheck_is_on(check, tracee))
		drain(check, space, tracee);
}

/* ---- One instruction ------------------------------------------------------------------------- */

/* In pieces. */
static void note_range(struct racecheck *check, const struct tracee *tracee,
    const struct race_access *access, uint64_t first, uint64_t last)
{
	struct race_access noted = *access;

	if (last - first > RACE_RANGE_MAX)
		last = first + RACE_RANGE_MAX;
	for (; first < last; first += noted.size) {
		noted.start = first;
		noted.size = (uint32_t)(last - first < 64 ? last - first : 64);
		racecheck_note(check, tracee->space, tracee->race_thread, &noted);
	}
}

/* The bytes that a mask selects; none where it cannot be read. */
static void note_selected(struct racecheck *check, const struct tracee *tracee,
    const struct access *masked, const struct race_access *access, uint64_t start)
{
	uint64_t selected;
	unsigned first, count;

	if (!masks_select(tracee->tid, masked, &selected))
		return;
	while (accesses_next_run(&selected, &first, &count))
		note_range(check, tracee, access, start + first, start + first + count);
}

static void note_access(struct racecheck *check, const struct tracee *tracee,
    const struct classified *in, const struct access *access, const struct user_regs_struct *regs)
{
	const enum race_look look = looks(check, in, access);
	const struct race_access noted = {
	    .pc = in->address,
	    .kind = look == RACE_ORDERS ? RACE_ATOMIC
		    : access->writes	? RACE_WRITE
					: RACE_READ,
	};
	uint64_t first, last;

	if (look == RACE_LOOKS_AWAY)
		return;
	accesses_range(access, regs, NULL, access->counted, &first, &last);
	if (look == RACE_NOTES && racetables_note(&check->tables, access->writes,
				      racelayout_size_log(access->size), first, check->turn))
		return;
	if (look == RACE_ORDERS || look == RACE_ORDERS_PLAINLY)
		check->turn++;
	if (accesses_is_masked(access))
		note_selected(check, tracee, access, &noted, first);
	else
		note_range(check, tracee, &noted, first, last);
}

/* Whether the access of that number is to be shown. */
static bool shows(struct racecheck *check, uint64_t number)
{
	bool wanted = introduces(check);

	for (size_t i = 0; i < check->wanted_count; i++)
		wanted |= check->wanted[i] == number;
	check->introduced |= introduces(check);
	if (wanted)
		check->table.shown = number;
	return wanted;
}

/* Whether one of its accesses is. */
static bool note_instruction(
    struct racecheck *check, const struct tracee *tracee, const struct user_regs_struct *regs)
{
	const uint64_t before = check->table.noted;
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	const size_t length = memory_read_code(tracee->tid, regs->rip, bytes, sizeof bytes);
	struct classified in;
	struct accesses accesses;
	bool wanted = false;

	if (length == 0 || !classify(regs->rip, bytes, length, &in) || !check->tables.memory)
		return false;
	accesses_of(bytes, in.z.length, regs->rip, &accesses);
	for (unsigned i = 0; i < accesses.count; i++)
		note_access(check, tracee, &in, &accesses.list[i], regs);
	for (uint64_t number = before + 1; number <= check->table.noted && !wanted; number++)
		wanted = shows(check, number);
	return wanted;
}

bool racecheck_judge_step(
    struct racecheck *check, struct tracee *tracee, const struct user_regs_struct *regs)
{
	if (!racecheck_is_on(check, tracee))
		return false;
	enter(check, tracee);
	return note_instruction(check, tracee, regs);
}

bool racecheck_judge_place(struct racecheck *check, struct tracee *tracee,
    const struct place *place, const struct user_regs_struct *regs)
{
	const uint64_t before = check->table.noted;
	const struct user_regs_struct there = recover_question(tracee->space, place, regs);
	bool wanted;

	if (!racecheck_is_on(check, tracee))
		return false;
	drain(check, tracee->space, tracee);
	if (place->distance > 0) {
		wanted = check->table.noted > before && shows(check, check->table.noted);
	} else {
		wanted = note_instruction(check, tracee, &there);
		begin_log(check, &tracee->space->arena);
	}
	tracee->check_found |= wanted;
	return wanted;
}
