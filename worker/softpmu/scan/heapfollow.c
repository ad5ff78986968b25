/*
 * Must never take for undefined what somebody has written, and never leave a thread followed that
 * need not be.
 */
#include "worker/softpmu/scan/heapcheck.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/base/addressset.h"
#include "worker/softpmu/scan/follow.h"
#include "worker/softpmu/follow/joined.h"
#include "worker/softpmu/follow/stackroom.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/x86/decode.h"
#include "worker/x86/eflags.h"
#include "worker/x86/flow.h"

enum {
	LIBRARY_MORE = 16, /* the C library's copies are everybody's */
};

/* Bounds, so that a check takes no more than some minutes. */
enum {
	WALK_STEPS = 2000,
	SITE_STEPS = 20 * 1000, /* of all walks that begin at one instruction */
	ALL_STEPS = 4 * 1000 * 1000,
};

struct heapfollow *heapfollow_new(void)
{
	return calloc(1, sizeof(struct heapfollow));
}

void heapfollow_free(struct heapfollow *follow)
{
	for (struct follow *next; follow && follow->threads; follow->threads = next) {
		next = follow->threads->next;
		free(follow->threads);
	}
	free(follow);
}

void heapfollow_skip(struct heapfollow *follow, uint64_t start, uint64_t end)
{
	if (follow)
		range_add(follow->skip, &follow->skips, FOLLOW_SKIPPED, start, end);
}

bool heapfollow_is_over(const struct heapfollow *follow)
{
	return follow && follow->over;
}

bool heapfollow_skips(const struct heapfollow *follow, uint64_t address)
{
	return range_has(follow->skip, follow->skips, address);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static struct follow *thread_of(struct heapfollow *follow, const struct tracee *tracee)
{
	struct follow *thread = follow->threads;

	while (thread && thread->tid != tracee->tid)
		thread = thread->next;
	if (!thread)
		thread = calloc(1, sizeof *thread);
	if (thread && thread->tid == 0) {
		thread->tid = tracee->tid;
		thread->next = follow->threads;
		follow->threads = thread;
	}
	return thread;
}

static struct follow_site *site_of(struct heapfollow *follow, uint64_t pc)
{
	return &follow->site[pc * 0x9e3779b97f4a7c15ull >> 40 & (FOLLOW_SITES - 1)];
}

static bool begin(struct heapcheck *check, struct tracee *tracee, uint64_t pc)
{
	struct heapfollow *follow = check->follow;
	struct follow_site *site = site_of(follow, pc);
	struct follow *thread = thread_of(follow, tracee);
	const uint64_t most =
	    heapcheck_is_library(check, pc) ? LIBRARY_MORE * SITE_STEPS : SITE_STEPS;

	if (site->pc != pc)
		*site = (struct follow_site){.pc = pc};
	follow->over = follow->steps >= ALL_STEPS;
	if (!thread || site->steps >= most || follow->over) {
		check->table.state |= CHECK_UNDECIDED;
		heapcheck_exempt(check, tracee->space, pc);
		return false;
	}
	*thread = (struct follow){
	    .next = thread->next, .tid = tracee->tid, .begun = pc, .number = ++follow->walks};
	check->table.followed = follow->walks;
	tracee->check_follow = thread;
	return true;
}

void heapfollow_leave(struct heapcheck *check, struct tracee *tracee)
{
	struct follow *thread = tracee->check_follow;
	struct follow_site *site = site_of(check->follow, thread->begun);

	if (site->pc == thread->begun)
		site->steps += thread->steps;
	check->follow->steps += thread->steps;
	tracee->check_follow = NULL;
}

static void give_up(struct heapcheck *check, struct tracee *tracee)
{
	check->table.state |= CHECK_UNDECIDED;
	heapfollow_leave(check, tracee);
}

/* ---- One instruction ------------------------------------------------------------------------- */

static bool decode(
    struct follow_step *step, const struct tracee *tracee, const struct user_regs_struct *regs)
{
	const size_t length =
	    memory_read_code(tracee->tid, regs->rip, step->bytes, sizeof step->bytes);

	step->memory.step.regs = regs;
	step->memory.step.memory = &step->memory.memory;
	return length > 0 && undefined_decode(&step->memory.step, step->bytes, length);
}

static bool is_at(const struct follow *thread, const struct user_regs_struct *regs)
{
	return thread->applied && decode_same_registers(&thread->before, regs);
}

/* Whether it may stand here behind the instruction that was stepped last: a signal or rr may have
 * put it elsewhere. */
static bool is_behind(const struct follow *thread, const struct user_regs_struct *regs)
{
	return !thread->applied || thread->jumps || regs->rip == thread->before.rip ||
	       regs->rip == thread->before.rip + thread->length;
}

static bool is_over(const struct undefined_step *step)
{
	return step->decoded.instruction.mnemonic == ZYDIS_MNEMONIC_SYSCALL;
}

/* A breakpoint of gdb's in place of the instruction: the tracee comes here again. */
static bool is_covered(const struct undefined_step *step)
{
	return step->decoded.instruction.mnemonic == ZYDIS_MNEMONIC_INT3;
}

/* A copy of many bytes is done in the cache. */
static bool is_long(const struct undefined_step *step)
{
	enum { FEW = 64 };

	return step->decoded.instruction.meta.category == ZYDIS_CATEGORY_STRINGOP &&
	       (step->decoded.instruction.attributes & ZYDIS_ATTRIB_HAS_REP) &&
	       step->regs->rcx > FEW;
}

/* Behind the end of a string whose word begins with something defined. */
static bool reads_ahead(const struct heapcheck *check, const struct undefined_step *step)
{
	uint64_t start, end, first;

	if (step->accesses.count != 1)
		return false;
	accesses_range(&step->accesses.list[0], step->regs, NULL, false, &start, &end);
	return heapcheck_reads_ahead(check, &step->accesses.list[0], start, step->regs, &first) &&
	       !follow_has_undefined(check, first, 1);
}

static void apply(struct heapcheck *check, struct tracee *tracee, struct follow_step *step)
{
	struct follow *thread = tracee->check_follow;
	struct undefined_step *it = &step->memory.step;

	if (is_at(thread, it->regs))
		return;
	if (reads_ahead(check, it))
		undefined_define(it);
	else
		undefined_apply(it);
	thread->applied = true;
	thread->before = *it->regs;
	thread->length = it->decoded.instruction.length;
	thread->jumps = flow_jumps(step->bytes, sizeof step->bytes);
	if (undefined_is_clear(&thread->state))
		heapfollow_leave(check, tracee);
	else if (++thread->steps >= WALK_STEPS)
		give_up(check, tracee);
}

static bool is_string_copy(const struct undefined_step *step)
{
	const ZydisDecodedInstruction *z = &step->decoded.instruction;

	return z->meta.category == ZYDIS_CATEGORY_STRINGOP && step->accesses.count == 2 &&
	       (z->attributes & ZYDIS_ATTRIB_HAS_REP) && !(step->regs->eflags & FLAG_DIRECTION);
}

/* Nothing is undefined in the registers. */
static void apply_clean(struct follow_step *step)
{
	struct undefined_step *it = &step->memory.step;
	uint64_t to = 0, from = 0, end = 0, end_from = 0;

	if (!is_string_copy(it)) {
		undefined_define(it);
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (it->accesses.list[i].writes)
			accesses_range(&it->accesses.list[i], it->regs, NULL, true, &to, &end);
		else
			accesses_range(
			    &it->accesses.list[i], it->regs, NULL, true, &from, &end_from);
	}
	follow_copy(&step->memory, to, from, end - to);
}

/* or $0, which touches a page of the stack. */
static bool is_touch(const struct undefined_step *step)
{
	const struct decoded *decoded = &step->decoded;

	return decoded->instruction.mnemonic == ZYDIS_MNEMONIC_OR &&
	       decoded->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       decoded->operands[1].imm.value.u == 0;
}

static bool has_undefined(const struct heapcheck *check, const struct undefined_step *step,
    const struct access *access, uint64_t start, uint64_t size)
{
	uint64_t selected;
	unsigned first, count;
	bool has = false;

	if (!accesses_is_masked(access) ||
	    !step->memory->select(step->memory->context, access, &selected))
		return follow_has_undefined(check, start, size);
	while (!has && accesses_next_run(&selected, &first, &count))
		has = follow_has_undefined(check, start + first, count);
	return has;
}

static bool loads_undefined(const struct heapcheck *check, const struct undefined_step *step)
{
	for (unsigned i = 0; i < step->accesses.count && !reads_ahead(check, step); i++) {
		const struct access *access = &step->accesses.list[i];
		uint64_t start, end;

		if (!access->reads || access->flushes || access->kind == ACCESS_VECTOR ||
		    access->segment || access->size == 0)
			continue;
		accesses_range(access, step->regs, NULL, false, &start, &end);
		if (end > start && end - start <= UNDEFINED_VECTOR &&
		    has_undefined(check, step, access, start, end - start))
			return true;
	}
	return false;
}

static bool may_begin(
    const struct heapcheck *check, const struct tracee *tracee, const struct undefined_step *step)
{
	const uint64_t pc = step->regs->rip;

	return tracee->check_call.back == 0 && !heapcheck_is_own(check, pc) &&
	       !check->follow->over && !heapfollow_skips(check->follow, pc) &&
	       !is_string_copy(step) && !is_touch(step) &&
	       !addressset_has(check->exempt, CHECK_EXEMPT, pc);
}

static uint64_t register_of(const struct undefined_step *step, unsigned operand)
{
	struct piece piece;

	return instruction_piece(step->decoded.operands[operand].reg.value, &piece) && !piece.vector
		   ? decode_register(step->regs, piece.number)
		   : 0;
}

/* On the stack. */
static void make_room(struct heapcheck *check, const struct undefined_step *step)
{
	const struct stackroom room = stackroom_of(&step->decoded.instruction);
	uint64_t size = room.size, start = step->regs->rsp + (uint64_t)room.offset;

	if (room.by_register && step->decoded.operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		size = register_of(step, 1);
		start = step->regs->rsp - size - STACKROOM_RED_ZONE;
	}
	if (size > 0 && size <= FOLLOW_ROOM_MAX)
		follow_mark(check, start, size);
}

static enum heapcheck_verdict judge_clean(
    struct heapcheck *check, struct tracee *tracee, struct follow_step *step, bool stepped)
{
	static struct undefined none;

	step->memory.step.state = &none;
	if (loads_undefined(check, &step->memory.step) &&
	    may_begin(check, tracee, &step->memory.step) &&
	    begin(check, tracee, step->memory.step.regs->rip)) {
		if (!stepped)
			return HEAPCHECK_STEPS;
		step->memory.step.state = &tracee->check_follow->state;
		apply(check, tracee, step);
	} else {
		apply_clean(step);
	}
	make_room(check, &step->memory.step);
	return HEAPCHECK_GOES_ON;
}

bool heapfollow_finds(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs)
{
	static const enum check_kind kinds[] = {[UNDEFINED_BRANCH] = CHECK_BRANCH,
	    [UNDEFINED_ADDRESS] = CHECK_ADDRESS,
	    [UNDEFINED_JUMP] = CHECK_TARGET};
	struct follow *thread = tracee->check_follow;
	struct follow_step step;
	enum undefined_use use;
	uint16_t from = 0;

	follow_memory(&step.memory, check, tracee);
	if (!check->shown || !decode(&step, tracee, regs) || !is_behind(thread, regs) ||
	    is_at(thread, regs) || is_covered(&step.memory.step))
		return false;
	thread->looked = thread->steps + 1;
	step.memory.step.state = &thread->state;
	use = undefined_use(&step.memory.step, &from);
	if (use == UNDEFINED_NO_USE ||
	    (use == UNDEFINED_BRANCH &&
		!joined_counts(&step.memory.step, memory_code_reader, &tracee->tid)))
		return false;
	heapfollow_leave(check, tracee);
	return follow_report(check, kinds[use], regs->rip, from);
}

enum heapcheck_verdict heapfollow_judge(struct heapcheck *check, struct tracee *tracee,
    const struct user_regs_struct *regs, bool stepped)
{
	struct follow *thread = tracee->check_follow;
	struct follow_step step;

	follow_memory(&step.memory, check, tracee);
	if (!decode(&step, tracee, regs) || is_covered(&step.memory.step))
		return HEAPCHECK_GOES_ON;
	if (thread && (!is_behind(thread, regs) || is_over(&step.memory.step) ||
			  is_long(&step.memory.step))) {
		give_up(check, tracee);
		thread = NULL;
	}
	if (!thread)
		return judge_clean(check, tracee, &step, stepped);
	/* gdb may have stopped the tracee here, and nobody has looked since. */
	if (thread->looked != thread->steps + 1 && heapfollow_finds(check, tracee, regs))
		return HEAPCHECK_SHOWS;
	if (!tracee->check_follow)
		return judge_clean(check, tracee, &step, stepped);
	step.memory.step.state = &thread->state;
	apply(check, tracee, &step);
	make_room(check, &step.memory.step);
	return HEAPCHECK_GOES_ON;
}
