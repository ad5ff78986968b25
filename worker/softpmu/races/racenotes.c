/*
 * What a thread's accesses mean to the others. It must never take two accesses for a race that
 * something orders which it was told of.
 */
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/base/addressset.h"
#include "worker/softpmu/races/racecheck.h"
#include "worker/softpmu/traps/tracees.h"

enum { WORD = 4, PAGE_BITS = 12, OWNER_BIT = 48, SHARED = 0xff };

/* ---- What orders threads --------------------------------------------------------------------- */

bool racecheck_order(struct racecheck *check, uint64_t address)
{
	address &= ~(uint64_t)(WORD - 1);
	if (addressset_has(check->ordered, RACE_ORDERED, address))
		return false;
	if (!addressset_add(check->ordered, RACE_ORDERED, &check->ordered_count, address))
		check->table.state |= RACE_LOST;
	return true;
}

/* An atomic instruction. */
static void note_atomic(struct racecheck *check, unsigned thread, const struct race_access *access)
{
	const uint64_t end = access->start + access->size;

	check->table.orders++;
	for (uint64_t at = access->start & ~(uint64_t)(WORD - 1); at < end; at += WORD) {
		if (racecheck_order(check, at) && !check->learns)
			check->table.state |= RACE_AGAIN;
		raceclocks_use(&check->clocks, thread, at, true, true);
	}
}

/* The instruction is to be noted each time from here on. */
static void note_ordering(struct racecheck *check, struct space *space, uint64_t pc)
{
	if (!addressset_add(check->ordering, RACE_ORDERING, &check->ordering_count, pc))
		return;
	if (!check->learns)
		check->table.state |= RACE_AGAIN;
	if (space)
		blocks_forget(space->blocks, pc, pc + 1);
}

/* Whether the access is to what atomic instructions touch. */
static bool note_order(
    struct racecheck *check, struct space *space, unsigned thread, const struct race_access *access)
{
	const uint64_t end = access->start + access->size;
	bool orders = false;

	for (uint64_t at = access->start & ~(uint64_t)(WORD - 1); at < end; at += WORD) {
		if (!addressset_has(check->ordered, RACE_ORDERED, at))
			continue;
		raceclocks_use(&check->clocks, thread, at, access->kind == RACE_READ,
		    access->kind == RACE_WRITE);
		orders = true;
	}
	if (orders)
		note_ordering(check, space, access->pc);
	check->table.orders += orders;
	return orders;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static uint64_t *page_of(const struct racecheck *check, uint64_t address)
{
	const uint64_t page = address >> PAGE_BITS, mask = (1ull << OWNER_BIT) - 1;
	size_t at = page * 0x9e3779b97f4a7c15ull >> 32 & (RACE_PAGES - 1);

	while (check->page[at] && (check->page[at] & mask) != page)
		at = (at + 1) & (RACE_PAGES - 1);
	return &check->page[at];
}

static void learn_page(struct racecheck *check, unsigned thread, uint64_t address)
{
	uint64_t *page = page_of(check, address);

	if (*page == 0) {
		if (2 * check->page_count >= RACE_PAGES)
			return;
		check->page_count++;
		*page = address >> PAGE_BITS | (uint64_t)(thread + 1) << OWNER_BIT;
	} else if (*page >> OWNER_BIT != thread + 1) {
		*page |= (uint64_t)SHARED << OWNER_BIT;
	}
}

/* One that is not known had no room. */
static bool is_shared(const struct racecheck *check, uint64_t address)
{
	const uint64_t page = *page_of(check, address);

	return page == 0 || page >> OWNER_BIT == SHARED;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static struct race_pair *find(const struct racecheck *check, uint64_t one, uint64_t other)
{
	const uint64_t low = one < other ? one : other, high = one < other ? other : one;
	size_t at = (low * 31 + high) * 0x9e3779b97f4a7c15ull >> 40 & (RACE_PAIRS - 1);

	for (;; at = (at + 1) & (RACE_PAIRS - 1)) {
		const struct race_pair *pair = &check->pair[at];

		if (pair->count == 0 || (pair->earlier.pc == one && pair->later.pc == other) ||
		    (pair->earlier.pc == other && pair->later.pc == one))
			return &check->pair[at];
	}
}

static void note_pair(
    void *context, const struct race_access *earlier, const struct race_access *later)
{
	struct racecheck *check = context;
	struct race_pair *pair;

	if (!check->shown)
		return;
	pair = find(check, earlier->pc, later->pc);
	if (pair->count == 0 && 2 * check->table.pairs >= RACE_PAIRS) {
		check->table.state |= RACE_LOST;
		return;
	}
	if (pair->count++ == 0) {
		check->table.pairs++;
		*pair = (struct race_pair){.earlier = *earlier,
		    .later = *later,
		    .count = 1,
		    .low = later->start,
		    .high = later->start,
		    .library = racecheck_is_library(check, earlier->pc) &&
			       racecheck_is_library(check, later->pc)};
	}
	pair->low = later->start < pair->low ? later->start : pair->low;
	pair->high = later->start > pair->high ? later->start : pair->high;
}

/* ---- Accesses -------------------------------------------------------------------------------- */

void racecheck_note(
    struct racecheck *check, struct space *space, unsigned thread, const struct race_access *access)
{
	struct racestep step = {thread, *access};

	step.access.number = ++check->table.noted;
	if (access->kind == RACE_ATOMIC)
		return note_atomic(check, thread, access);
	if (note_order(check, space, thread, access) || check->wanted_count)
		return;
	if (check->learns)
		return learn_page(check, thread, access->start);
	if (is_shared(check, access->start))
		racecells_step(&check->cells, &check->clocks, &step, note_pair, check);
}

/* ---- System calls ---------------------------------------------------------------------------- */

/* The word that the kernel clears when a thread ends that such a call makes; 0: none. rr hides the
 * flag from a replay's kernel. clone(2) */
static uint64_t cleared_by(const struct tracee *parent)
{
	struct user_regs_struct regs = {0};
	struct {
		uint64_t flags, pidfd, child_tid;
	} given = {0};

	if (kernel_ptrace(PTRACE_GETREGS, parent->tid, 0, (uint64_t)&regs) < 0)
		return 0;
	if (regs.orig_rax == SYS_clone)
		return regs.r10;
	return regs.orig_rax == SYS_clone3 &&
		       memory_read(parent->tid, regs.rdi, &given, sizeof given)
		   ? given.child_tid
		   : 0;
}

void racecheck_note_child(struct racecheck *check, struct tracee *parent, struct tracee *child)
{
	if (!racecheck_is_on(check, parent))
		return;
	child->race_born = check->number;
	child->race_parent = parent->race_thread;
	child->race_cleared = cleared_by(parent);
}

/* The kernel clears the word that pthread_join reads. */
static void note_end(struct racecheck *check, unsigned thread)
{
	const uint64_t cleared = check->cleared[thread] & ~(uint64_t)(WORD - 1);

	if (!cleared)
		return;
	if (racecheck_order(check, cleared) && !check->learns)
		check->table.state |= RACE_AGAIN;
	raceclocks_use(&check->clocks, thread, cleared, false, true);
}

void racecheck_note_call(
    struct racecheck *check, struct tracee *tracee, const struct user_regs_struct *regs)
{
	if (!racecheck_is_on(check, tracee))
		return;
	switch (regs->orig_rax) {
	case SYS_exit:
		return note_end(check, tracee->race_thread);
	case SYS_munmap:
		return racecells_forget(&check->cells, regs->rdi, regs->rdi + regs->rsi);
	case SYS_mmap:
		if (regs->rax < (uint64_t)-4096)
			racecells_forget(&check->cells, regs->rax, regs->rax + regs->rsi);
		return;
	}
}
