/*
 * The way back from the cache. It must never leave anything of the cache's in the registers.
 */
#include "worker/softpmu/cache/recover.h"

#include "worker/softpmu/base/address.h"
#include "worker/x86/classify.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/base/message.h"

enum {
	INSTRUCTION_MAX = 15,
	STATUS_FLAGS = 0xd5, /* those that lahf saves */
	OVERFLOW_FLAG = 1 << 11,
};

/* A pass of the instruction at a place, as far as that is counted: 1, or -1 to take it back. */
static void count_again(const struct space *space, const struct place *place, int passes)
{
	if (places_runs(place))
		return;
	if (place->counted)
		*arena_slot(&space->arena, ARENA_SLOT_PASSES) +=
		    (uint64_t)(int64_t)passes * *arena_slot(&space->arena, ARENA_SLOT_MARK);
	if (place->lined)
		*space_line(space, place->original) += (uint64_t)(int64_t)passes;
}

/*
 * The tracee is on its way to where no program's memory can be. If that is no address at all, the
 * jump faults, and has no effect: it is undone, and the hardware does it. Each notes its place
 * before anything else, see sequences.c.
 */
static void undo_jump(const struct space *space, pid_t tid, struct user_regs_struct *regs)
{
	uint64_t site = *arena_slot(&space->arena, ARENA_SLOT_SITE);
	unsigned part = (unsigned)(site >> 28) % ARENA_PARTS;
	const struct place *place = places_find(&space->places[part], (uint32_t)site & 0xfffffff);

	if (!place || !(place->flags & PLACE_JUMPED))
		return;
	count_again(space, place, -1);
	if (place->distance > 0)
		memory_write(tid, regs->rsp, arena_slot(&space->arena, ARENA_SLOT_BELOW), 1);
	regs->rip = place->original;
	regs->rsp += (uint64_t)(int64_t)place->distance;
}

/* The stack holds the address of ours to which a call from rr's page returns: puts its own back. */
static void put_return_back(
    const struct space *space, pid_t tid, const struct user_regs_struct *regs)
{
	memory_write(tid, regs->rsp, arena_slot(&space->arena, ARENA_SLOT_RETURN), 1);
}

/* The same for a tracee that is in the call, in rr's page. */
static void recover_call(const struct space *space, pid_t tid, const struct user_regs_struct *regs)
{
	uint64_t address = 0;

	if (classify_is_in_rr_page(regs->rip) && memory_read_word(tid, regs->rsp, &address) &&
	    arena_part_at(&space->arena, address) >= 0)
		put_return_back(space, tid, regs);
}

/* The program's flags, as lahf and seto have saved them, and its rdx. */
static void recover_judge(const struct arena *arena, bool rdx_saved, struct user_regs_struct *regs)
{
	const uint64_t saved = *arena_slot(arena, ARENA_SLOT_FLAGS);
	const uint64_t status = saved >> 8 & STATUS_FLAGS;

	regs->eflags &= ~(uint64_t)(STATUS_FLAGS | OVERFLOW_FLAG);
	regs->eflags |= status | (saved & 1 ? OVERFLOW_FLAG : 0);
	if (rdx_saved)
		regs->rdx = *arena_slot(arena, ARENA_SLOT_RDX);
}

static void recover_place(
    struct space *space, pid_t tid, const struct place *place, struct user_regs_struct *regs)
{
	int part = arena_part_at(&space->arena, regs->rip);
	uint64_t offset = regs->rip - space->arena.part[part].address;

	if (places_recover(place, *arena_slot(&space->arena, ARENA_SLOT_RCX),
		*arena_slot(&space->arena, ARENA_SLOT_RAX), space->arena.part[part].memory + offset,
		2 * INSTRUCTION_MAX, regs) &&
	    space->budget.passed > 0)
		space->budget.passed--;
	count_again(space, place, -1);
	if (place->noted)
		*arena_slot(&space->arena, ARENA_SLOT_TOUCHES) +=
		    *arena_slot(&space->arena, ARENA_SLOT_NOTED);
	if (place->kind == PLACE_JUDGES)
		recover_judge(&space->arena, place->distance > 0, regs);
	if (place->kind == PLACE_RETURNED || (place->flags & PLACE_SWAPPED))
		put_return_back(space, tid, regs);
	if (!address_is_users(regs->rip))
		undo_jump(space, tid, regs);
}

void recover_state(struct space *space, pid_t tid, struct user_regs_struct *regs)
{
	uint32_t number;
	const struct place *place;

	if (arena_part_at(&space->arena, regs->rip) < 0) {
		recover_call(space, tid, regs);
		return;
	}
	number = blocks_at_stub(space->blocks, regs->rip);
	if (number) {
		regs->rip = blocks_get(space->blocks, number)->original;
		return;
	}
	place = space_place(space, regs->rip);
	if (!place)
		message_fatal(
		    "a stop at 0x%llx in the code cache is not at an instruction: this is a bug in "
		    "rr-warden; run again with RR_WARDEN_SOFTPMU=legs, and report it",
		    (unsigned long long)regs->rip);
	recover_place(space, tid, place, regs);
}

struct user_regs_struct recover_question(
    const struct space *space, const struct place *place, const struct user_regs_struct *regs)
{
	struct user_regs_struct there = *regs;

	places_recover(place, *arena_slot(&space->arena, ARENA_SLOT_RCX),
	    *arena_slot(&space->arena, ARENA_SLOT_RAX), NULL, 0, &there);
	return there;
}

void recover_passed(const struct space *space, const struct place *place)
{
	count_again(space, place, 1);
}
