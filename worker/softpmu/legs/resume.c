/*
 * Turns rr's resume requests into legs: a single step, or a run through a region with hardware
 * execution breakpoints on its stops. It must never let a tracee run where its branches are not
 * accounted for; when in doubt it steps.
 */
#include "worker/softpmu/legs/resume.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>

#include "worker/softpmu/legs/linecount.h"
#include "worker/softpmu/scan/heapcheck.h"
#include "worker/softpmu/races/racecheck.h"
#include "worker/x86/eflags.h"
#include "worker/x86/prefixes.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/killed.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/base/message.h"
#include "worker/softpmu/cache/passcount.h"
#include "worker/softpmu/traps/cover.h"
#include "worker/softpmu/traps/trapflag.h"
#include "worker/softpmu/traps/trapmask.h"
#include "worker/softpmu/cache/watches.h"
#include "worker/softpmu/cache/x87address.h"

#ifndef PTRACE_SYSEMU
#define PTRACE_SYSEMU		 31
#define PTRACE_SYSEMU_SINGLESTEP 32
#endif

enum {
	CODE_SEGMENT_32 = 0x23,
	REBUILDS = 3, /* then the code changes faster than we read it: step */
};

bool resume_is_request(int request)
{
	return request == PTRACE_CONT || request == PTRACE_SYSCALL ||
	       request == PTRACE_SINGLESTEP || request == PTRACE_SYSEMU ||
	       request == PTRACE_SYSEMU_SINGLESTEP;
}

static bool is_single_step(int request)
{
	return request == PTRACE_SINGLESTEP || request == PTRACE_SYSEMU_SINGLESTEP;
}

static bool is_emulating(int request)
{
	return request == PTRACE_SYSEMU || request == PTRACE_SYSEMU_SINGLESTEP;
}

/* The kernel is about to restart an interrupted system call: rip will go back to it. */
static bool restarts_syscall(const struct user_regs_struct *regs)
{
	enum { ERESTART_FIRST = 512, ERESTART_NOHAND = 514, ERESTART_BLOCK = 516 };
	long value = (long)regs->rax;

	return (long)regs->orig_rax >= 0 &&
	       ((value >= -ERESTART_NOHAND && value <= -ERESTART_FIRST) ||
		   value == -ERESTART_BLOCK);
}

/* The tracee has entered a system call and not left it. */
static bool inside_syscall(const struct tracee *tracee, const struct user_regs_struct *regs)
{
	struct __ptrace_syscall_info info = {0};

	if ((long)regs->orig_rax < 0 && !tracee->refused)
		return false;
	switch (tracee->last_event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_VFORK_DONE:
	case PTRACE_EVENT_EXEC:
		return true;
	}
	return kernel_ptrace(PTRACE_GET_SYSCALL_INFO, tracee->tid, sizeof info, (uint64_t)&info) >
		   0 &&
	       (info.op == PTRACE_SYSCALL_INFO_ENTRY || info.op == PTRACE_SYSCALL_INFO_SECCOMP);
}

/* Breakpoints of ours fire before their instruction unless the resume flag is set. */
static long set_resume_flag(struct tracee *tracee, struct user_regs_struct *regs)
{
	if (regs->eflags & FLAG_RESUME)
		return 0;
	regs->eflags |= FLAG_RESUME;
	return kernel_ptrace(
	    PTRACE_POKEUSER, tracee->tid, offsetof(struct user, regs.eflags), regs->eflags);
}

static long start_leg(
    struct softpmu *pmu, struct tracee *tracee, enum leg leg, int request, int signal)
{
	siginfo_t info;

	tracee->leg = leg;
	pmu->totals.stops++;
	if (killed_since(tracee->tid, &info))
		return -ESRCH;
	return kernel_ptrace(request, tracee->tid, 0, (uint64_t)signal);
}

static bool is_push_flags(const uint8_t *bytes, size_t length)
{
	const size_t at = prefixes_of(bytes, length).length;

	return at < length && bytes[at] == 0x9c;
}

/* A finding is shown behind its instruction, as a hit of this debug register. */
static unsigned check_memory(
    struct softpmu *pmu, struct tracee *tracee, const struct user_regs_struct *regs)
{
	unsigned found = 0;

	if (heapcheck_judge_step(pmu->conditions.check, tracee, regs))
		found |= heapcheck_watch(&tracee->debug, CHECKMARK);
	if (racecheck_judge_step(pmu->conditions.races, tracee, regs))
		found |= heapcheck_watch(&tracee->debug, RACEMARK);
	return found;
}

/* What one hardware step from rip will have done: does it count, is it pushf. */
static void look_at_instruction(struct softpmu *pmu, struct tracee *tracee,
    const struct user_regs_struct *regs, struct block *block)
{
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	size_t length = memory_read_code(tracee->tid, regs->rip, bytes, sizeof bytes);

	trapflag_check_instruction(tracee->tid, bytes, length, regs);
	x87address_correct(tracee, bytes, length);
	decode_instruction(memory_code_reader, &tracee->tid, regs->rip, block);
	tracee->began = *regs;
	tracee->in_call = restarts_syscall(regs) || inside_syscall(tracee, regs);
	tracee->leg_counts = block->ending.counts;
	tracee->pushes_flags = is_push_flags(bytes, length);
	tracee->touches = watches_touched_by(tracee->tid, &tracee->debug, bytes, length, regs) |
			  check_memory(pmu, tracee, regs);
	if (!cover_timestamp(tracee, regs->rip, bytes, length))
		message_fatal(
		    "process %d reads the time stamp counter at 0x%llx, which neither this "
		    "machine nor a change of that code can trap: use another machine",
		    tracee->tid, (unsigned long long)regs->rip);
}

/* One hardware step, for a request that runs. */
static long step(
    struct softpmu *pmu, struct tracee *tracee, struct user_regs_struct *regs, int signal)
{
	int request = is_emulating(tracee->request) ? PTRACE_SYSEMU_SINGLESTEP : PTRACE_SINGLESTEP;
	struct block block;
	long result = 0;

	if (signal != 0)
		heapcheck_leave(pmu->conditions.check, tracee);
	look_at_instruction(pmu, tracee, regs, &block);
	if (tracee->request == PTRACE_SYSCALL && block.ending.kind == END_SYSCALL && signal == 0)
		return start_leg(pmu, tracee, LEG_SYSCALL, PTRACE_SYSCALL, 0);
	if (tracee->request == PTRACE_CONT && block.ending.kind == END_SYSCALL && signal == 0 &&
	    regs->rax == SYS_rt_sigprocmask)
		return start_leg(pmu, tracee, LEG_MASK, PTRACE_SYSCALL, 0);
	if (debug_registers_holds(&tracee->debug, regs->rip)) {
		/* A handler's frame would show the resume flag, and rr's own breakpoint must stop
		 * here: then, take ours away. */
		if (signal != 0 || watches_trap_first(&tracee->debug, regs))
			result = debug_registers_disarm(&tracee->debug, tracee->tid);
		else
			result = set_resume_flag(tracee, regs);
	}
	if (result < 0)
		return result;
	pmu->totals.steps++;
	return start_leg(pmu, tracee, LEG_STEP, request, signal);
}

/* Where a branch whose target is in a register or in memory goes. */
static bool indirect_target(pid_t tid, const struct indirect *indirect,
    const struct user_regs_struct *regs, uint64_t *target)
{
	if (indirect->source == INDIRECT_REGISTER) {
		*target = decode_register(regs, indirect->base);
		return true;
	}
	return memory_read_word(tid, decode_indirect_slot(indirect, regs), target);
}

/*
 * How a run from rip begins: it steps over a block's ending there, if there is one. *root is where
 * the region begins, and *count the branches passed before that. False: step.
 */
static bool pass_ending(const struct tracee *tracee, const struct region *lead,
    const struct user_regs_struct *regs, uint64_t *root, uint8_t *count)
{
	const struct ending *ending = &lead->ending;

	*count = 0;
	switch (ending->kind) {
	case END_CONDITIONAL:
		*count = 1;
		*root = branch_is_taken(
			    ending->condition, regs->eflags, regs->rcx, ending->address_bits)
			    ? ending->target
			    : regs->rip + ending->length;
		return true;
	case END_INDIRECT:
		return indirect_target(tracee->tid, &ending->indirect, regs, root);
	case END_SYSCALL:
	case END_TRAP:
	case END_STEP:
	case END_CUT:
		return false;
	}
	return false;
}

static struct region_key key_at(const struct tracee *tracee, uint64_t root)
{
	return (struct region_key){.root = root,
	    .stops = (uint8_t)debug_registers_free(&tracee->debug),
	    .lookahead = !tracee->turn_due,
	    .syscall_stops = tracee->request != PTRACE_CONT};
}

struct plan {
	struct region *lead;   /* the ending at rip, or NULL */
	struct region *region; /* what runs after it */
	uint8_t count;	       /* branches the lead passes */
};

/* A region for root that cannot pass more than `most` branches, or NULL. */
static struct region *region_within(
    struct softpmu *pmu, struct tracee *tracee, uint64_t root, uint64_t most)
{
	struct region_key key = key_at(tracee, root);
	struct region *region = regions_get(pmu->regions, tracee->tid, &key);

	if (region && region->max_count > most) {
		key.lookahead = 0;
		region = regions_get(pmu->regions, tracee->tid, &key);
	}
	return region && region->runnable && region->max_count <= most ? region : NULL;
}

/*
 * Plans a run from the registers, on code that is not yet compared. A run never passes the last
 * branch before an overflow: we step it, so that the overflow stops right after it.
 */
static bool plan_run(struct softpmu *pmu, struct tracee *tracee,
    const struct user_regs_struct *regs, struct plan *plan)
{
	const struct counter *ticks = tracee->ticks;
	uint64_t most = ticks->period ? ticks->left - 1 : UINT8_MAX;
	struct region *first = region_within(pmu, tracee, regs->rip, most);
	uint64_t root;

	*plan = (struct plan){0};
	if (!first)
		return false;
	if (!first->leads || first->ending.kind == END_TRAP ||
	    (first->ending.kind == END_SYSCALL && first->key.syscall_stops)) {
		plan->region = first;
		return true;
	}
	if (!pass_ending(tracee, first, regs, &root, &plan->count) || plan->count > most)
		return false;
	regions_pin(first);
	plan->lead = first;
	plan->region = region_within(pmu, tracee, root, most - plan->count);
	if (plan->region)
		return true;
	regions_unpin(pmu->regions, first);
	return false;
}

static long run(struct softpmu *pmu, struct tracee *tracee, struct user_regs_struct *regs,
    const struct plan *plan)
{
	long result = debug_registers_arm(&tracee->debug, tracee->tid, plan->region);

	if (result >= 0 && (debug_registers_holds(&tracee->debug, regs->rip) ||
			       (plan->lead && region_count_at(plan->region, regs->rip) >= 0)))
		result = set_resume_flag(tracee, regs);
	if (result < 0)
		return result;
	tracee->began = *regs;
	tracee->leg_counts = plan->count;
	tracee->region = plan->region;
	regions_pin(plan->region);
	pmu->totals.runs++;
	return start_leg(pmu, tracee, LEG_REGION, tracee->request, 0);
}

/* Tries to plan on unchanged code; false: step. */
static bool plan_on_current_code(struct softpmu *pmu, struct tracee *tracee,
    const struct user_regs_struct *regs, struct plan *plan)
{
	for (int tries = 0; tries < REBUILDS; tries++) {
		bool same;
		struct region *rebuild[2];

		if (!plan_run(pmu, tracee, regs, plan))
			return false;
		same = regions_match(tracee->tid, plan->region, plan->lead);
		if (same)
			return true;
		rebuild[0] = plan->region;
		rebuild[1] = plan->lead;
		for (int i = 0; i < 2; i++) {
			struct region_key key;

			if (!rebuild[i])
				continue;
			key = rebuild[i]->key;
			regions_rebuild(pmu->regions, tracee->tid, &key);
		}
		regions_unpin(pmu->regions, plan->lead);
	}
	return false;
}

/* A leg outside of the cache begins with these registers. */
static void note_pass(
    struct softpmu *pmu, struct tracee *tracee, const struct user_regs_struct *regs)
{
	passcount_note(&pmu->conditions, tracee, regs);
	linecount_note(pmu->conditions.lines, tracee, regs);
}

long resume_next_leg(struct softpmu *pmu, struct tracee *tracee, struct user_regs_struct *regs)
{
	struct plan plan;
	long result;

	if (restarts_syscall(regs) && tracee->request != PTRACE_CONT)
		return start_leg(pmu, tracee, LEG_SYSCALL, tracee->request, 0);
	if (pmu->mode == MODE_RUN && !tracee->turn_due && !restarts_syscall(regs) &&
	    codecache_start(pmu->cache, pmu->tracees, tracee, regs, &result)) {
		pmu->totals.runs++;
		pmu->totals.stops++;
		return result;
	}
	if (!restarts_syscall(regs))
		note_pass(pmu, tracee, regs);
	if (pmu->mode == MODE_STEP || restarts_syscall(regs) ||
	    heapcheck_is_on(pmu->conditions.check, tracee) ||
	    racecheck_is_on(pmu->conditions.races, tracee) ||
	    linecount_is_on(pmu->conditions.lines, tracee) ||
	    watches_trap_first(&tracee->debug, regs) || debug_registers_free(&tracee->debug) == 0 ||
	    !plan_on_current_code(pmu, tracee, regs, &plan))
		return step(pmu, tracee, regs, 0);
	result = run(pmu, tracee, regs, &plan);
	regions_unpin(pmu->regions, plan.lead);
	if (result >= 0 || result == -ESRCH)
		return result;
	message_warn(
	    "the kernel refused a hardware breakpoint (error %ld), so thread %d runs in single "
	    "steps; other users of hardware breakpoints (perf, bpf) may hold them all",
	    -result, tracee->tid);
	tracee->debug.unusable = true;
	return step(pmu, tracee, regs, 0);
}

/*
 * rr has seen this breakpoint, and goes on without a step: vfork's child has met it, which nobody
 * debugs, and rr (to 5.9 at least) would meet it for ever. The instruction is stepped, and the
 * breakpoint is passed over.
 */
static long leave_breakpoint(
    struct softpmu *pmu, struct tracee *tracee, struct user_regs_struct *regs)
{
	uint8_t replaced;

	if (insertions_find(&pmu->insertions, tracee->tid, regs->rip, &replaced) &&
	    !cover_byte(tracee, regs->rip, replaced))
		return -ESRCH;
	set_resume_flag(tracee, regs);
	return step(pmu, tracee, regs, 0);
}

/* The code that the cache was made from may be about to change. */
static void note_call(struct softpmu *pmu, struct tracee *tracee)
{
	struct user_regs_struct regs = {0};

	if (codecache_in_use(pmu->cache) &&
	    kernel_ptrace(PTRACE_GETREGS, tracee->tid, 0, (uint64_t)&regs) >= 0)
		codecache_note_call(pmu->cache, tracee, &regs);
}

/* rr's own single step: we do just that, and count. */
static long rr_step(struct softpmu *pmu, struct tracee *tracee, int request, int signal)
{
	struct user_regs_struct regs = {0};
	struct block block;
	long result = kernel_ptrace(PTRACE_GETREGS, tracee->tid, 0, (uint64_t)&regs);

	if (result >= 0) {
		if (signal == 0 && !inside_syscall(tracee, &regs) && !restarts_syscall(&regs))
			note_pass(pmu, tracee, &regs);
		look_at_instruction(pmu, tracee, &regs, &block);
		tracee->pushes_flags = false; /* rr sees to it */
		if (debug_registers_holds(&tracee->debug, regs.rip))
			result = debug_registers_disarm(&tracee->debug, tracee->tid);
	}
	if (result < 0)
		return result;
	tracee->stopped_at = 0;
	tracee->mode = RESUME_STEP;
	pmu->totals.steps++;
	return start_leg(pmu, tracee, LEG_STEP, request, signal);
}

/* The first leg of a run: the tracee may stand in a system call, or a signal may go with it. */
static long rr_run(struct softpmu *pmu, struct tracee *tracee, int request, int signal)
{
	const uint64_t stopped_at = tracee->stopped_at;
	struct user_regs_struct regs = {0};
	long result = kernel_ptrace(PTRACE_GETREGS, tracee->tid, 0, (uint64_t)&regs);

	if (result < 0)
		return result;
	if (regs.cs == CODE_SEGMENT_32)
		message_fatal("process %d is a 32-bit program, and the software counter works only "
			      "for 64-bit programs: use a machine with performance counters",
		    tracee->tid);
	tracee->mode = RESUME_RUN;
	tracee->request = request;
	tracee->stopped_at = 0;
	if (signal != 0)
		return step(pmu, tracee, &regs, signal);
	if (inside_syscall(tracee, &regs)) {
		if (request == PTRACE_SYSCALL)
			return start_leg(pmu, tracee, LEG_SYSCALL, request, 0);
		/* A step out of the call would end in a SIGTRAP, which may be blocked: the kernel
		 * would take the program's handler away. */
		if (request == PTRACE_CONT)
			return start_leg(pmu, tracee, LEG_MASK, PTRACE_SYSCALL, 0);
		return step(pmu, tracee, &regs, 0);
	}
	if (!restarts_syscall(&regs)) /* the tracee may also be in a call with its own mask */
		trapmask_open(pmu->tracees, tracee, &regs);
	/* Any other tracee is to meet it again: where gdb takes its breakpoint away from a system
	 * call, one of rr's own may still be there, by which it sees the call (enter_syscall). */
	return stopped_at && stopped_at == regs.rip && tracee->borrower
		   ? leave_breakpoint(pmu, tracee, &regs)
		   : resume_next_leg(pmu, tracee, &regs);
}

long resume_request(struct softpmu *pmu, pid_t tid, int request, int signal)
{
	struct tracee *tracee = tracees_get(pmu->tracees, tid);
	long result;

	tracee->overflowed = false;
	tracee->turn_due = false;
	tracee->debug.touched = 0;
	tally_resume(&pmu->conditions.tally, tracee);
	clock_gettime(CLOCK_MONOTONIC, &pmu->resumed);
	note_call(pmu, tracee);
	if (is_emulating(request))
		counters_replay(pmu->counters);
	if (tracee->ticks && tracee->ticks->enabled)
		return is_single_step(request) ? rr_step(pmu, tracee, request, signal)
					       : rr_run(pmu, tracee, request, signal);
	tracee->mode = RESUME_NATIVE;
	result = debug_registers_disarm(&tracee->debug, tid);
	return result < 0 ? result : kernel_ptrace(request, tid, 0, (uint64_t)signal);
}
