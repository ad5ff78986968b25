/*
 * Starts legs in the cache and judges their stops. It must never show rr a tracee inside the cache,
 * nor let one run that may pass more branches than rr's counter has left.
 */
#include "worker/softpmu/legs/codecache.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "worker/softpmu/base/address.h"
#include "worker/softpmu/base/memfile.h"
#include "worker/softpmu/cache/cachecalls.h"
#include "worker/x86/classify.h"
#include "worker/softpmu/rrfix/counters.h"
#include "worker/x86/decode.h"
#include "worker/x86/eflags.h"
#include "worker/softpmu/translate/emit.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/killed.h"
#include "worker/softpmu/legs/countedpass.h"
#include "worker/softpmu/legs/linecount.h"
#include "worker/softpmu/legs/looks.h"
#include "worker/softpmu/legs/silence.h"
#include "worker/softpmu/legs/trapcode.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/base/message.h"
#include "worker/softpmu/cache/passcount.h"
#include "worker/softpmu/cache/recover.h"
#include "worker/softpmu/scan/heapcheck.h"
#include "worker/softpmu/races/racecheck.h"
#include "worker/softpmu/cache/spaces.h"
#include "worker/softpmu/translate/watchcode.h"

enum {
	CODE_SEGMENT_64 = 0x33,
	/* After this many, rr gets control: a few tens of milliseconds. */
	LEG_BRANCHES = 20 * 1000 * 1000,
	INT3 = 0xcc,
	LEG_QUESTIONS = 1000, /* then rr gets control, too */
	LEG_CHECKS = 5000,    /* and after so many of the heap, which are answered sooner */
};

struct codecache {
	struct conditions *conditions;
	struct spaces *spaces;
};

struct codecache *codecache_new(struct conditions *conditions)
{
	struct codecache *cache = calloc(1, sizeof *cache);

	if (cache)
		*cache = (struct codecache){conditions, spaces_new()};
	if (cache && cache->spaces)
		return cache;
	free(cache);
	return NULL;
}

uint64_t codecache_made(const struct codecache *cache)
{
	return spaces_made(cache->spaces);
}

uint64_t codecache_blocks(const struct codecache *cache)
{
	return spaces_blocks(cache->spaces);
}

bool codecache_in_use(const struct codecache *cache)
{
	return spaces_first(cache->spaces);
}

void codecache_forget(struct codecache *cache, struct tracee *tracee)
{
	spaces_leave(cache->spaces, tracee);
}

/* The branches that may pass in a leg; the last before an overflow never does. */
static uint64_t branches_to_go(const struct tracee *tracee, uint64_t passed)
{
	uint64_t left = LEG_BRANCHES;

	if (tracee->ticks->period && tracee->ticks->left - 1 < left)
		left = tracee->ticks->left - 1;
	return left > passed ? left - passed : 0;
}

/* Sets the tracee going at an address of the cache; -ESRCH if it has been killed. */
static long go(const struct tracee *tracee, uint64_t address)
{
	siginfo_t info;
	long result =
	    kernel_ptrace(PTRACE_POKEUSER, tracee->tid, offsetof(struct user, regs.rip), address);

	if (result >= 0 && killed_since(tracee->tid, &info))
		return -ESRCH;
	return result < 0 ? result : kernel_ptrace(tracee->request, tracee->tid, 0, 0);
}

/* Where the code at `original` runs in the cache, or 0. */
static uint64_t address_for(struct space *space, pid_t tid, uint64_t original, bool lookup)
{
	uint32_t number = emit_code(space, tid, original, lookup);
	const struct block_entry *entry;

	if (number == 0)
		return 0;
	entry = blocks_get(space->blocks, number);
	if (!entry->body || (lookup && !entry->lookup))
		return 0;
	return space->arena.part[entry->part].address + (lookup ? entry->lookup : entry->body);
}

static void load_budget(struct space *space, uint64_t most)
{
	uint64_t *counter[BUDGET_COUNTERS];

	space_counters(space, counter);
	budget_load(&space->budget, counter, most);
}

static uint64_t read_budget(struct space *space)
{
	uint64_t *counter[BUDGET_COUNTERS];

	space_counters(space, counter);
	return budget_read(&space->budget, counter);
}

bool codecache_start(struct codecache *cache, struct tracees *tracees, struct tracee *tracee,
    const struct user_regs_struct *regs, long *result)
{
	uint64_t most = branches_to_go(tracee, 0), address;
	struct space *space;
	bool killed = false, anew;

	if (tracee->cache_pause || most < BUDGET_LEAST ||
	    heapcheck_follows(cache->conditions->check, tracee) ||
	    (regs->eflags & (FLAG_TRAP | FLAG_ALIGNMENT)) || regs->cs != CODE_SEGMENT_64) {
		tracee->cache_pause = false;
		return false;
	}
	space = spaces_get(cache->spaces, tracees, tracee, regs, &killed);
	if (killed || (space && !space->broken && !space_reach(space, tracee->tid, regs))) {
		tracee->mode = RESUME_NATIVE; /* its last stop is rr's */
		*result = 0;
		return true;
	}
	if (space && space->broken)
		spaces_tell_broken(cache->spaces, space, tracee->tid);
	if (space && space->at_its_reach)
		spaces_tell_out_of_reach(cache->spaces, tracee->tid);
	if (!space || space->broken)
		return false;
	cachecalls_note(space, regs);
	anew = watches_set(&space->watches, &space->arena, &tracee->debug, cache->conditions);
	anew |= heapcheck_set(cache->conditions->check, space, tracee, regs);
	anew |= racecheck_set(cache->conditions->races, space, tracee, regs);
	anew |= linecount_set(cache->conditions->lines, space, tracee);
	if (silence_set(cache->conditions, space, tracee) || anew)
		space_flush(space);
	space_revive_mapped(space, tracee->tid);
	tracee->questions = 0;
	address = address_for(space, tracee->tid, regs->rip, false);
	if (!address || silence_begin(cache->conditions, space, tracee) < 0)
		return false;
	passcount_begin(cache->conditions, &space->arena);
	budget_begin(&space->budget);
	load_budget(space, most);
	tracee->leg = LEG_CACHE;
	*result = go(tracee, address);
	return true;
}

/* An int3 of ours at a jump through the table whose target has no entry yet. */
static uint64_t judge_miss(
    struct space *space, struct tracee *tracee, bool stay, struct user_regs_struct *regs)
{
	uint64_t address = 0;

	/* Undoes the jump, which must not come here again. */
	tracee->cache_pause = !address_is_users(regs->rcx);
	if (!stay && !tracee->cache_pause)
		address = address_for(space, tracee->tid, regs->rcx, true);
	if (!address)
		recover_state(space, tracee->tid, regs);
	return address;
}

/* A counter has run out: if more branches can pass, fills it again. */
static uint64_t judge_exit(struct space *space, struct tracee *tracee, bool stay,
    const struct place *place, struct user_regs_struct *regs)
{
	uint64_t passed = read_budget(space) - 1, most = branches_to_go(tracee, passed);

	if (stay || most < BUDGET_LEAST) {
		recover_state(space, tracee->tid, regs);
		return 0;
	}
	space->budget.passed = passed;
	load_budget(space, most);
	if (place->kind == PLACE_SPOILT)
		return regs->rip - EMIT_EXIT_BACK_FLAGS;
	regs->rcx = *arena_slot(&space->arena, ARENA_SLOT_RCX);
	kernel_ptrace(PTRACE_POKEUSER, tracee->tid, offsetof(struct user, regs.rcx), regs->rcx);
	return regs->rip - EMIT_EXIT_BACK_RCX;
}

/* The code at rip is not what its body was made from. */
static void leave_check(
    struct space *space, const struct tracee *tracee, const struct user_regs_struct *regs)
{
	blocks_invalidate(space->blocks, regs->rip, regs->rip + 1);
	kernel_ptrace(PTRACE_POKEUSER, tracee->tid, offsetof(struct user, regs.rcx), regs->rcx);
	kernel_ptrace(PTRACE_POKEUSER, tracee->tid, offsetof(struct user, regs.rax), regs->rax);
}

/* watches_untouched of the instruction at rip. */
static uint64_t untouched(const struct tracee *tracee, const struct user_regs_struct *regs)
{
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	size_t length = memory_read_code(tracee->tid, regs->rip, bytes, sizeof bytes);

	return length == 0 ? 0
			   : watches_untouched(tracee->tid, &tracee->debug, bytes, length, regs);
}

/* The question of an int3: does rr watch what comes now? Returns where to go on in the cache; 0: it
 * does. */
static uint64_t answer(const struct codecache *cache, const struct tracee *tracee,
    const struct place *place, struct user_regs_struct *regs)
{
	struct space *space = tracee->space;
	struct user_regs_struct there = *regs;
	uint64_t part = UINT64_MAX;

	there.rip = place->original;
	watches_note_question(&space->watches, &tracee->debug, there.rip);
	if (passcount_counts(cache->conditions, tracee, there.rip))
		return countedpass_answer(cache->conditions, tracee, regs->rip, &there);
	passcount_take(cache->conditions, tracee, &space->arena); /* a condition may ask for it */
	if (watches_reached(&tracee->debug, there.rip) &&
	    conditions_may_hold(cache->conditions, there.rip, tracee->tid, &there))
		return 0;
	if (space->watches.level != WATCH_NOTHING)
		part = untouched(tracee, &there);
	if (part == UINT64_MAX)
		return regs->rip + 1;
	if (part == 0)
		return 0;
	*arena_slot(&space->arena, ARENA_SLOT_RCX) = regs->rcx - part;
	regs->rcx = part;
	kernel_ptrace(PTRACE_POKEUSER, tracee->tid, offsetof(struct user, regs.rcx), part);
	return regs->rip + WATCHCODE_PART;
}

/* The program is at an instruction behind which a branch may be counted already. */
static uint64_t leave(
    struct space *space, const struct tracee *tracee, struct user_regs_struct *regs)
{
	read_budget(space);
	recover_state(space, tracee->tid, regs);
	return 0;
}

/* The next instruction is not for the cache. */
static uint64_t leave_for_step(
    struct space *space, struct tracee *tracee, struct user_regs_struct *regs)
{
	tracee->cache_pause = true;
	return leave(space, tracee, regs);
}

/* What the instruction does to the heap. Returns where to go on. */
static uint64_t pass_check(const struct codecache *cache, struct tracee *tracee,
    const struct place *place, bool stay, struct user_regs_struct *regs)
{
	if (stay || tracee->questions++ >= LEG_CHECKS)
		return leave(tracee->space, tracee, regs);
	if (tracee->space->watches.race_number)
		return racecheck_judge_place(cache->conditions->races, tracee, place, regs)
			   ? leave(tracee->space, tracee, regs)
			   : regs->rip + 1;
	switch (heapcheck_judge_place(cache->conditions->check, tracee, place, regs)) {
	case HEAPCHECK_GOES_ON:
		return regs->rip + 1;
	case HEAPCHECK_SHOWS:
	case HEAPCHECK_LEAVES:
		break;
	case HEAPCHECK_STEPS:
		return leave_for_step(tracee->space, tracee, regs);
	}
	return leave(tracee->space, tracee, regs);
}

/*
 * An int3 of ours. Returns where to go on in the cache, or 0: then *regs are the program's, and the
 * budget is read.
 */
static uint64_t judge_trap(
    const struct codecache *cache, struct tracee *tracee, bool stay, struct user_regs_struct *regs)
{
	struct space *space = tracee->space;
	const struct place *place;
	uint64_t address = 0;

	regs->rip--;
	if (regs->rip == space->arena.part[0].address) {
		address = judge_miss(space, tracee, stay, regs);
	} else {
		place = space_place(space, regs->rip);
		if (place && (place->flags & PLACE_EXIT))
			return judge_exit(space, tracee, stay, place, regs);
		if (place && place->kind == PLACE_ASKS && !stay &&
		    tracee->questions++ < LEG_QUESTIONS)
			address = answer(cache, tracee, place, regs);
		if (address)
			return address;
		if (place && place->kind == PLACE_CHANGES && !stay &&
		    tracee->questions++ < LEG_QUESTIONS &&
		    silence_answer(cache->conditions, tracee, place, regs))
			return regs->rip + 1;
		if (place && place->kind == PLACE_CHECKS)
			return pass_check(cache, tracee, place, stay, regs);
		if (place && ((place->flags & PLACE_LEAVES) || place->kind == PLACE_ASKS ||
				 place->kind == PLACE_PART || place->kind == PLACE_CHANGES))
			return leave_for_step(space, tracee, regs);
		/* A stub, a body out of force, or a check: none of them has an effect of its own
		 * yet, and no branch is pending. */
		recover_state(space, tracee->tid, regs);
		if (place && (place->flags & PLACE_STALE))
			leave_check(space, tracee, regs);
		if (!stay)
			address = address_for(space, tracee->tid, regs->rip, false);
	}
	if (!address)
		read_budget(space);
	return address;
}

/* A fault in a copy shows the copy's address instead of the instruction's own. */
static void correct_fault(const struct tracee *tracee, uint64_t was, uint64_t is)
{
	siginfo_t info = {0};

	if (was == is || kernel_ptrace(PTRACE_GETSIGINFO, tracee->tid, 0, (uint64_t)&info) < 0 ||
	    info.si_code <= 0 || (info.si_signo != SIGILL && info.si_signo != SIGFPE) ||
	    (uint64_t)info.si_addr != was)
		return;
	info.si_addr = (void *)(uintptr_t)is;
	kernel_ptrace(PTRACE_SETSIGINFO, tracee->tid, 0, (uint64_t)&info);
}

static bool is_jump_to(pid_t tid, uint64_t address, uint64_t target)
{
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	struct classified in;

	return classify(address, bytes, memory_read_code(tid, address, bytes, sizeof bytes), &in) &&
	       in.control == CONTROL_JUMP && classify_target(&in) == target;
}

/*
 * A debug register stops the tracee behind the instruction that touched what is watched. Jumps that
 * follow it leave no code, and are still to come.
 */
static uint64_t before_jumps(
    const struct space *space, pid_t tid, uint64_t stopped, uint64_t address)
{
	int part = arena_part_at(&space->arena, stopped);
	const struct place *place = space_place(space, stopped);

	while (place && (place = places_before(&space->places[part], place)) != NULL &&
	       is_jump_to(tid, place->original, address))
		address = place->original;
	return address;
}

/*
 * Writes only the registers that have changed, because the kernel refuses a whole set with a
 * segment register that some programs use.
 */
static long write_back(
    pid_t tid, const struct user_regs_struct *before, const struct user_regs_struct *after)
{
	long result = 0;

	for (size_t at = 0; at < sizeof *after && result >= 0; at += sizeof(uint64_t)) {
		uint64_t old, new;

		memcpy(&old, (const char *)before + at, sizeof old);
		memcpy(&new, (const char *)after + at, sizeof new);
		if (old != new)
			result = kernel_ptrace(PTRACE_POKEUSER, tid, at, new);
	}
	return result;
}

static bool is_at_call(pid_t tid, uint64_t rip)
{
	uint8_t code[2];

	return memory_read(tid, rip, code, sizeof code) && code[0] == 0x0f && code[1] == 0x05;
}

/*
 * The tracee left the cache for an instruction that is done in place, and every one of these stops
 * it: a system call by rr's filter, an int3 by itself. A call in rr's page does not stop, and comes
 * back into the cache. Anywhere else it has run uncounted.
 */
static void check_place(const struct tracee *tracee, int status, uint64_t rip)
{
	uint8_t code[2];

	if (status >> 16 != 0 && status >> 16 != PTRACE_EVENT_STOP)
		return;
	if (status >> 8 == (SIGTRAP | 0x80) || is_at_call(tracee->tid, rip) ||
	    classify_is_in_rr_page(rip))
		return;
	if (memory_read(tracee->tid, rip - 1, code, sizeof code) &&
	    (code[0] == INT3 || code[1] == INT3))
		return;
	message_fatal("thread %d left the code cache unnoticed and is at 0x%llx: this is a bug in "
		      "rr-warden; run again with RR_WARDEN_SOFTPMU=legs, and report it",
	    tracee->tid, (unsigned long long)rip);
}

/* A tracee that has been killed makes its last stop where it was to go on. */
static void stand(const struct tracee *tracee, const struct user_regs_struct *before,
    const struct user_regs_struct *regs)
{
	killed_await_stop(tracee->tid);
	write_back(tracee->tid, before, regs);
}

/*
 * A SIGKILL can come between an int3 of ours and the stop for it, or between that stop and what we
 * do then, which fails. Either way the tracee stops last behind the int3, still in its leg.
 */
static bool is_behind_trap(const struct space *space, uint64_t rip)
{
	const uint64_t trap = rip - 1;
	int part = arena_part_at(&space->arena, trap);

	if (part < 0 ||
	    space->arena.part[part].memory[trap - space->arena.part[part].address] != INT3)
		return false;
	return trap == space->arena.part[0].address || blocks_at_stub(space->blocks, trap) ||
	       space_place(space, trap);
}

/* recover_state, but a pass of an instruction that faults counts. */
static void recover_fault(
    struct space *space, const struct tracee *tracee, int status, struct user_regs_struct *regs)
{
	const struct place *place = space_place(space, regs->rip);
	siginfo_t info = {0};

	recover_state(space, tracee->tid, regs);
	if (place && status >> 16 == 0 && status >> 8 != SIGTRAP &&
	    kernel_ptrace(PTRACE_GETSIGINFO, tracee->tid, 0, (uint64_t)&info) >= 0 &&
	    info.si_code > 0)
		recover_passed(space, place);
}

/* Sets it going at an address of the cache. */
static enum codecache_verdict go_on(const struct tracee *tracee,
    const struct user_regs_struct *before, struct user_regs_struct *regs, uint64_t address)
{
	long went = go(tracee, address);

	regs->rip = address;
	if (went == -ESRCH)
		stand(tracee, before, regs);
	return went < 0 && went != -ESRCH ? CODECACHE_GONE : CODECACHE_RUNS;
}

enum codecache_verdict codecache_judge(struct codecache *cache, struct tracee *tracee, int status,
    bool stay, struct user_regs_struct *regs, uint64_t *branches)
{
	struct space *space = tracee->space;
	enum codecache_verdict verdict = CODECACHE_FOR_RR;
	const bool is_last = status >> 16 == PTRACE_EVENT_EXIT;
	struct user_regs_struct before;
	siginfo_t info = {0};
	uint64_t was, address;
	long written;

	*branches = 0;
	if (status >> 8 == SIGTRAP && killed_since(tracee->tid, &info))
		return CODECACHE_RUNS;
	if (kernel_ptrace(PTRACE_GETREGS, tracee->tid, 0, (uint64_t)regs) < 0)
		return is_last ? CODECACHE_GONE : CODECACHE_RUNS;
	if (status >> 8 == SIGTRAP)
		trapcode_correct(tracee, &info, regs);
	before = *regs;
	was = regs->rip;
	address = stay ? 0 : looks_past(space, tracee, status, regs);
	if (address)
		return go_on(tracee, &before, regs, address);
	/* A program may send itself a SIGTRAP that looks the same. */
	if (info.si_code == SI_KERNEL && is_behind_trap(space, was)) {
		address = judge_trap(cache, tracee, stay, regs);
		if (address)
			return go_on(tracee, &before, regs, address);
		verdict = CODECACHE_LEG_ENDS;
	} else {
		read_budget(space);
		if (arena_part_at(&space->arena, was) < 0)
			check_place(tracee, status, was);
		else if (is_last && is_behind_trap(space, was))
			regs->rip--;
		if (looks_made(space, tracee, status, regs)) {
			tracee->cache_pause = true;
			verdict = CODECACHE_LEG_ENDS;
		}
		recover_fault(space, tracee, status, regs);
		if (verdict == CODECACHE_FOR_RR && status >> 8 == SIGTRAP &&
		    info.si_code == TRAP_HWBKPT)
			regs->rip = before_jumps(space, tracee->tid, was, regs->rip);
	}
	passcount_take(cache->conditions, tracee, &space->arena);
	silence_end(cache->conditions, space, tracee);
	racecheck_end_leg(cache->conditions->races, space, tracee);
	linecount_end_leg(cache->conditions->lines, space, tracee);
	*branches = space->budget.passed;
	written = write_back(tracee->tid, &before, regs);
	if (written == -ESRCH && !is_last) {
		stand(tracee, &before, regs);
		tracee->leg = LEG_SYSCALL; /* all is counted */
		return CODECACHE_RUNS;
	}
	if (written < 0)
		return CODECACHE_GONE;
	if (verdict == CODECACHE_FOR_RR && status >> 16 == 0)
		correct_fault(tracee, was, regs->rip);
	return verdict;
}

void codecache_note_call(
    struct codecache *cache, struct tracee *tracee, const struct user_regs_struct *regs)
{
	struct user_regs_struct call = *regs;
	struct space *space;

	racecheck_note_call(cache->conditions->races, tracee, regs);
	/* Through /proc/PID/mem a program may write to code, its own or another's, that its
	 * mappings forbid to change: from here on all run without the cache. */
	if (cachecalls_opens_memory(tracee->tid, regs))
		spaces_give_up(cache->spaces);
	/* In a call, after it, or at its instruction, as when rr makes calls itself. */
	if (!cachecalls_is_one(regs->orig_rax)) {
		if (!cachecalls_is_one(regs->rax) || !is_at_call(tracee->tid, regs->rip))
			return;
		call.orig_rax = regs->rax;
	}
	heapcheck_note_call(cache->conditions->check, tracee, &call);
	space = spaces_find(cache->spaces, tracee);
	if (space)
		cachecalls_note(space, &call);
}

void codecache_note_write(struct codecache *cache, uint64_t address, uint64_t size)
{
	for (struct space *space = spaces_first(cache->spaces); space && size > 0;
	     space = space->next) {
		blocks_invalidate(space->blocks, address, address + size);
		codepages_forget(space->pages, address, address + size);
	}
}

size_t codecache_hide(char *text, size_t length)
{
	char *out = text;

	for (char *line = text, *end = text + length; line < end;) {
		char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t n = newline ? (size_t)(newline + 1 - line) : (size_t)(end - line);

		if (!memfile_is_in(line, n)) {
			memmove(out, line, n);
			out += n;
		}
		line += n;
	}
	return (size_t)(out - text);
}
