/*
 * Judges stops. The count must be exact at every stop that rr sees. It follows from the leg and
 * from where the tracee stands, never from a guess.
 */
#include "worker/softpmu/legs/stops.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "worker/x86/eflags.h"
#include "worker/softpmu/traps/heldtrap.h"
#include "worker/softpmu/scan/heapcheck.h"
#include "worker/softpmu/races/racecheck.h"
#include "worker/x86/tallymark.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/killed.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/base/message.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/softpmu/legs/linecount.h"
#include "worker/softpmu/legs/resume.h"
#include "worker/softpmu/legs/silence.h"
#include "worker/softpmu/legs/trapcode.h"
#include "worker/softpmu/traps/cover.h"
#include "worker/softpmu/traps/trapflag.h"
#include "worker/softpmu/traps/trapmask.h"
#include "worker/softpmu/cache/watches.h"
#include "worker/softpmu/cache/x87address.h"

enum {
	SYSCALL_LENGTH = 2,
	/* si_code of the stop a step makes at the first instruction of a signal handler */
	TRAP_AT_HANDLER = SIGTRAP,
	TURN_NANOSECONDS = 100 * 1000 * 1000,
};

struct stop {
	int status;
	int signal; /* 0 when the status is no plain signal stop */
	int event;
	bool at_syscall;
	int code; /* si_code of a SIGTRAP */
	uint64_t debug_status;
	struct user_regs_struct regs;
};

/* Gathers what a stop is; false when the tracee has been killed since. */
static bool look(struct tracee *tracee, int status, struct stop *stop)
{
	siginfo_t info = {0};

	*stop = (struct stop){.status = status};
	stop->event = status >> 16;
	stop->at_syscall = WSTOPSIG(status) == (SIGTRAP | 0x80);
	if (stop->event == 0 && !stop->at_syscall)
		stop->signal = WSTOPSIG(status);
	if (kernel_ptrace(PTRACE_GETREGS, tracee->tid, 0, (uint64_t)&stop->regs) < 0)
		return false;
	if (stop->at_syscall || stop->event == PTRACE_EVENT_SECCOMP)
		trapflag_check_call(tracee->tid, &stop->regs);
	if (stop->signal != SIGTRAP)
		return true;
	if (killed_since(tracee->tid, &info))
		return false;
	if (tracee->leg != LEG_CACHE) /* or it has been corrected already */
		trapcode_correct(tracee, &info, &stop->regs);
	stop->code = info.si_code;
	if (processor()->debug_registers && debug_registers_rr_used(&tracee->debug) &&
	    (stop->code == TRAP_TRACE || stop->code == TRAP_HWBKPT))
		kernel_ptrace(PTRACE_PEEKUSER, tracee->tid, debug_registers_offset(DEBUG_STATUS),
		    (uint64_t)&stop->debug_status);
	return true;
}

/*
 * Did the branch that a step began with retire in a tracee that has been killed? It has if the
 * tracee stands at one of the two places to which the branch leads. It may also stand in a handler,
 * or still at the branch, with the same registers.
 */
static bool branch_retired(const struct tracee *tracee, const struct stop *stop)
{
	struct block block;
	pid_t tid = tracee->tid;

	decode_instruction(memory_code_reader, &tid, tracee->began.rip, &block);
	return !decode_same_registers(&stop->regs, &tracee->began) &&
	       (stop->regs.rip == block.ending.target ||
		   stop->regs.rip == tracee->began.rip + block.ending.length);
}

/* Did the instruction a step began with retire? */
static bool step_retired(const struct tracee *tracee, const struct stop *stop)
{
	if (stop->event == PTRACE_EVENT_EXIT)
		return branch_retired(tracee, stop);
	if (stop->signal == SIGTRAP)
		return stop->code == TRAP_TRACE && trapcode_has_stepped(tracee, &stop->regs);
	return stop->signal != 0 && stop->regs.rip != tracee->began.rip;
}

/* Where the tracee stands in the region: at the instruction that made it stop. */
static uint64_t place_in_region(const struct stop *stop)
{
	if (stop->at_syscall || stop->event == PTRACE_EVENT_SECCOMP)
		return stop->regs.rip - SYSCALL_LENGTH;
	if (stop->signal == SIGTRAP && (stop->code == SI_KERNEL || stop->code == TRAP_BRKPT))
		return stop->regs.rip - 1;
	return stop->regs.rip;
}

/*
 * Of a tracee that stands where a leg of a branch began: has it not moved? The processor clears the
 * resume flag with the first instruction, and run() has set it where the region comes back. The
 * kernel sets it too, at a breakpoint: a tracee killed before that trap came has its registers to
 * tell. Where they are the same, a replay cannot tell either.
 */
static bool still_at_beginning(const struct tracee *tracee, const struct stop *stop)
{
	if (!(stop->regs.eflags & FLAG_RESUME))
		return false;
	return stop->event != PTRACE_EVENT_EXIT ||
	       decode_same_registers(&stop->regs, &tracee->began);
}

static uint64_t region_ticks(const struct tracee *tracee, const struct stop *stop)
{
	bool by_breakpoint = stop->signal == SIGTRAP && stop->code == TRAP_HWBKPT;
	uint64_t place = place_in_region(stop);
	int count = region_count_at(tracee->region, place);

	if (place == tracee->began.rip && !by_breakpoint &&
	    (count < 0 || !tracee->leg_counts || still_at_beginning(tracee, stop)))
		return 0;
	if (count >= 0)
		return tracee->leg_counts + (uint64_t)count;
	message_warn("thread %d stopped at 0x%llx, outside of the code that it should run (from "
		     "0x%llx, status 0x%x): ticks may be wrong; run again with "
		     "RR_WARDEN_SOFTPMU=step, and report this",
	    tracee->tid, (unsigned long long)place, (unsigned long long)tracee->began.rip,
	    (unsigned)stop->status);
	return tracee->leg_counts;
}

/* Adds the leg's ticks; true when the counter overflows. */
static bool count_leg(struct softpmu *pmu, struct tracee *tracee, const struct stop *stop)
{
	uint64_t ticks = 0;

	switch (tracee->leg) {
	case LEG_STEP:
		ticks = tracee->leg_counts && step_retired(tracee, stop);
		break;
	case LEG_REGION:
		ticks = region_ticks(tracee, stop);
		regions_unpin(pmu->regions, tracee->region);
		tracee->region = NULL;
		break;
	case LEG_CACHE:
	case LEG_MASK:
	case LEG_SYSCALL:
		break;
	}
	pmu->totals.branches += ticks;
	pmu->totals.instructions += tracee->leg == LEG_STEP && stop->signal == SIGTRAP;
	return tracee->ticks && ticks && counter_add(tracee->ticks, ticks);
}

/* A step over pushf leaves the trap flag on the program's stack. */
static void clean_pushed_flags(struct tracee *tracee, const struct stop *stop)
{
	uint64_t word = 0, slot = stop->regs.rsp;

	if (kernel_ptrace(PTRACE_PEEKDATA, tracee->tid, slot, (uint64_t)&word) >= 0)
		kernel_ptrace(PTRACE_POKEDATA, tracee->tid, slot, word & ~(uint64_t)FLAG_TRAP);
}

/* A step over syscall leaves the trap flag in r11, where the processor saves the flags. */
static void clean_saved_flags(struct tracee *tracee, struct stop *stop)
{
	if (!(stop->regs.r11 & FLAG_TRAP) || stop->regs.rcx != stop->regs.rip)
		return;
	stop->regs.r11 &= ~(uint64_t)FLAG_TRAP;
	kernel_ptrace(
	    PTRACE_POKEUSER, tracee->tid, offsetof(struct user, regs.r11), stop->regs.r11);
}

/*
 * Consecutive steps from popf on make the kernel believe that the program set the trap flag itself
 * (the flag shows, and stays for good). rr clears a trap flag it sees at any stop; so do we.
 */
static void clean_trap_flag(struct tracee *tracee, struct stop *stop)
{
	if (!(stop->regs.eflags & FLAG_TRAP))
		return;
	stop->regs.eflags &= ~(uint64_t)FLAG_TRAP;
	kernel_ptrace(
	    PTRACE_POKEUSER, tracee->tid, offsetof(struct user, regs.eflags), stop->regs.eflags);
}

/* Removes what a step by the trap flag leaves in the state, in a leg that stands for a run. */
static void clean_after_step(struct tracee *tracee, struct stop *stop)
{
	if (stop->signal != SIGTRAP)
		return;
	clean_trap_flag(tracee, stop);
	if (stop->code == TRAP_TRACE && tracee->pushes_flags)
		clean_pushed_flags(tracee, stop);
	if (stop->code == TRAP_BRKPT)
		clean_saved_flags(tracee, stop);
}

/* A SIGTRAP that a leg of ours ends with, and not something the program or rr did? */
static bool ends_leg(const struct tracee *tracee, const struct stop *stop)
{
	if (stop->signal != SIGTRAP)
		return false;
	if (stop->debug_status & debug_registers_rr_used(&tracee->debug))
		return false;
	switch (tracee->leg) {
	case LEG_STEP:
		return stop->code == TRAP_TRACE || stop->code == TRAP_BRKPT ||
		       stop->code == TRAP_AT_HANDLER || stop->code == TRAP_HWBKPT;
	case LEG_REGION:
		return stop->code == TRAP_HWBKPT;
	case LEG_CACHE:
	case LEG_MASK:
	case LEG_SYSCALL:
		return false;
	}
	return false;
}

/* An access to what rr watches that rr need not see. */
static bool passes_over(
    struct softpmu *pmu, struct tracee *tracee, const struct stop *stop, unsigned hits)
{
	uint64_t step = tracee->mode == RESUME_STEP ? DEBUG_STATUS_STEP : 0;

	if (!silence_hides(&pmu->conditions, tracee, hits, stop->regs.rip))
		return false;
	kernel_ptrace(PTRACE_POKEUSER, tracee->tid, debug_registers_offset(DEBUG_STATUS),
	    stop->debug_status & step);
	return true;
}

static unsigned rr_hits(const struct tracee *tracee, const struct stop *stop)
{
	return stop->signal == SIGTRAP
		   ? (unsigned)stop->debug_status & debug_registers_rr_used(&tracee->debug)
		   : 0;
}

/* The breakpoint of rr's at which the tracee stops, or may stop; 0: none. */
static uint64_t breakpoint_at(const struct tracee *tracee, const struct stop *stop)
{
	if (stop->signal != SIGTRAP)
		return 0;
	if (stop->code == SI_KERNEL)
		return stop->regs.rip - 1;
	return stop->code == TRAP_HWBKPT && watches_reached(&tracee->debug, stop->regs.rip)
		   ? stop->regs.rip
		   : 0;
}

/* Leaves the tracee as rr would find it without us. */
static void cover_tracks(struct tracee *tracee, const struct stop *stop)
{
	bool by_debug =
	    stop->signal == SIGTRAP && (stop->code == TRAP_TRACE || stop->code == TRAP_HWBKPT);
	uint64_t step = tracee->mode == RESUME_STEP ? DEBUG_STATUS_STEP : 0;

	tracee->debug.status_mask = by_debug ? debug_registers_rr_used(&tracee->debug) | step : 0;
	tracee->stopped_at = tracee->mode == RESUME_RUN ? breakpoint_at(tracee, stop) : 0;
	/* The kernel and we set the resume flag to pass our breakpoints; faults set it by
	 * themselves. */
	if ((stop->regs.eflags & FLAG_RESUME) && stop->signal != SIGSEGV &&
	    stop->signal != SIGBUS && stop->signal != SIGFPE && stop->signal != SIGILL)
		kernel_ptrace(PTRACE_POKEUSER, tracee->tid, offsetof(struct user, regs.eflags),
		    stop->regs.eflags & ~(uint64_t)FLAG_RESUME);
	trapmask_close(tracee);
	tracee->mode = RESUME_NATIVE;
}

/* Makes the stop what the processor's debug registers would have made of it. */
static void stop_by_debug(struct tracee *tracee, struct stop *stop, unsigned touched)
{
	siginfo_t info = {0};

	tracee->debug.touched = touched;
	stop->signal = SIGTRAP;
	stop->debug_status = touched;
	if (tracee->mode == RESUME_STEP ||
	    kernel_ptrace(PTRACE_GETSIGINFO, tracee->tid, 0, (uint64_t)&info) < 0)
		return;
	stop->code = info.si_code = TRAP_HWBKPT;
	info.si_addr = (void *)(uintptr_t)stop->regs.rip;
	kernel_ptrace(PTRACE_SETSIGINFO, tracee->tid, 0, (uint64_t)&info);
}

static int overflow_status(const struct tracee *tracee)
{
	return tracee->ticks->signal << 8 | 0x7f;
}

void stops_forget(struct softpmu *pmu, pid_t tid)
{
	struct tracee *tracee = tracees_find(pmu->tracees, tid);

	if (!tracee)
		return;
	codecache_forget(pmu->cache, tracee);
	regions_unpin(pmu->regions, tracee->region);
	tracees_drop(pmu->tracees, tid);
}

/*
 * The task of an earlier tracee with this number may have ended where rr does not see it: rr
 * detaches from what it kills, and init reaps it. A new task has its parent's last fault.
 */
static void begin_child(struct softpmu *pmu, struct tracee *parent)
{
	unsigned long number = 0;
	struct tracee *child;

	switch (parent->last_event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		if (kernel_ptrace(PTRACE_GETEVENTMSG, parent->tid, 0, (uint64_t)&number) < 0)
			return;
		stops_forget(pmu, (pid_t)number);
		child = tracees_get(pmu->tracees, (pid_t)number);
		child->last_fault = parent->last_fault;
		tracees_note_child(parent, child);
		child->borrower = tracees_borrower(parent, (pid_t)number);
		racecheck_note_child(pmu->conditions.races, parent, child);
	}
}

/* The tracee has a new program. A thread that is not the leader gets the leader's number. */
static void begin_program(struct softpmu *pmu, struct tracee *tracee)
{
	const struct tracee *former;
	unsigned long tid = 0;

	debug_registers_reset(&tracee->debug);
	codecache_forget(pmu->cache, tracee);
	heapcheck_note_exec(pmu->conditions.check, tracee);
	linecount_note_exec(pmu->conditions.lines, tracee);
	tracees_begin_memory(tracee);
	/* Nor is it one of those that share a memory which is looked at. */
	tracee->check = tracee->tally = tracee->race = tracee->lines = tracee->access = 0;
	tracee->borrower = 0;
	if (kernel_ptrace(PTRACE_GETEVENTMSG, tracee->tid, 0, (uint64_t)&tid) < 0)
		return;
	former = tracees_find(pmu->tracees, (pid_t)tid);
	if (former)
		tracee->last_fault = former->last_fault;
}

/* The tracee's program was replaced, or it is gone: what we knew of it is void. */
static void note_status(struct softpmu *pmu, struct tracee *tracee, int status)
{
	tracee->last_event = WIFSTOPPED(status) ? status >> 16 : 0;
	if (tracee->last_event == PTRACE_EVENT_EXEC)
		begin_program(pmu, tracee);
	begin_child(pmu, tracee);
	if (!WIFSTOPPED(status))
		stops_forget(pmu, tracee->tid);
}

static uint64_t nanoseconds_since_request(const struct softpmu *pmu)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)(now.tv_sec - pmu->resumed.tv_sec) * 1000000000ull +
	       (uint64_t)now.tv_nsec - (uint64_t)pmu->resumed.tv_nsec;
}

/*
 * In a replay, rr listens to its debugger only between its own steps, and a step lasts as long as
 * the program computes without a system call. An overflow that rr did not ask for ends the step
 * early. rr expects such stray overflows only where it runs the tracee with PTRACE_SYSEMU.
 */
static bool is_rrs_turn(const struct softpmu *pmu, const struct tracee *tracee)
{
	return tracee->request == PTRACE_SYSEMU &&
	       nanoseconds_since_request(pmu) >= TURN_NANOSECONDS;
}

/*
 * Whether rr may see a stray overflow here. On its way to a fault it takes the tracee to be there
 * as soon as the registers and the number of branches agree, and it does not compare the stack
 * pointer: in a recursion without branches every round looks like the last one. At a branch they
 * cannot: it counts before anything else can happen. And a direct jump does not fault.
 */
static bool can_show_overflow(const struct tracee *tracee, uint64_t rip)
{
	enum { JUMP_NEAR = 0xe9, JUMP_SHORT = 0xeb };
	pid_t tid = tracee->tid;
	uint8_t first = 0;
	struct block block;

	if (memory_read_code(tid, rip, &first, sizeof first) == 0)
		return false;
	decode_instruction(memory_code_reader, &tid, rip, &block);
	return block.ending.kind == END_CONDITIONAL || first == JUMP_NEAR || first == JUMP_SHORT;
}

/*
 * PTRACE_INTERRUPT stops a tracee before the trap that has just ended its leg is delivered. That
 * trap would come up at the next resume, as if a new leg had ended where it began: let it come now.
 * Nothing runs for it. True when it has; *status is the trap's then, or whatever came instead.
 */
static bool take_pending_trap(struct tracee *tracee, int *status)
{
	long got;

	if (*status >> 16 != PTRACE_EVENT_STOP ||
	    !heldtrap_is_pending(tracee->tid, TRAP_QUEUE_THREAD, true) ||
	    kernel_ptrace(PTRACE_CONT, tracee->tid, 0, 0) < 0)
		return false;
	do {
		got = kernel_call(SYS_wait4, tracee->tid, (long)status, __WALL, 0, 0, 0);
	} while (got == -EINTR);
	return got == tracee->tid;
}

/*
 * What follows a leg of ours that ended with a stop that rr would not have seen: a hardware
 * breakpoint of rr's, rr's turn for one of three reasons, or another leg.
 */
static enum stop_verdict go_on(struct softpmu *pmu, struct tracee *tracee, struct stop *stop,
    bool overflows, int interrupted, int *status)
{
	/* No debug register reaches into the cache. */
	bool judged = processor()->debug_registers && tracee->leg != LEG_CACHE;
	unsigned reached =
	    judged || *status >> 8 != SIGTRAP ? 0 : watches_reached(&tracee->debug, stop->regs.rip);

	if (tracee->check_found || heapcheck_finds(pmu->conditions.check, tracee, &stop->regs))
		reached = heapcheck_watch(&tracee->debug, CHECKMARK) |
			  heapcheck_watch(&tracee->debug, RACEMARK);
	tracee->check_found = false;
	if (reached) {
		stop_by_debug(tracee, stop, reached);
		cover_tracks(tracee, stop);
		return STOP_FOR_RR;
	}
	tracee->turn_due = is_rrs_turn(pmu, tracee);
	if (overflows || (tracee->turn_due && can_show_overflow(tracee, stop->regs.rip))) {
		stop->code = 0; /* no debug event as far as rr can see */
		cover_tracks(tracee, stop);
		tracee->overflowed = true;
		counter_describe_overflow(tracee->ticks, &tracee->overflow);
		*status = overflow_status(tracee);
		return STOP_FOR_RR;
	}
	if (interrupted) {
		stop->code = 0;
		cover_tracks(tracee, stop);
		*status = interrupted;
		return STOP_FOR_RR;
	}
	/* If it has been killed since the stop, no leg begins, and rr sees its end at the next
	 * wait. */
	tracee->leg = LEG_SYSCALL;
	resume_next_leg(pmu, tracee, &stop->regs);
	return STOP_OURS;
}

/* A stop in the code cache, or at the place to which the cache led. */
static enum stop_verdict judge_cache_leg(
    struct softpmu *pmu, struct tracee *tracee, int interrupted, int *status)
{
	struct stop stop = {0};
	uint64_t branches;
	enum codecache_verdict verdict =
	    codecache_judge(pmu->cache, tracee, *status, interrupted, &stop.regs, &branches);

	pmu->totals.branches += branches;
	if (branches && tracee->ticks)
		counter_add(tracee->ticks, branches);
	switch (verdict) {
	case CODECACHE_RUNS:
		pmu->totals.stops++;
		return STOP_OURS;
	case CODECACHE_LEG_ENDS:
		return go_on(pmu, tracee, &stop, false, interrupted, status);
	case CODECACHE_FOR_RR:
		if (look(tracee, *status, &stop)) {
			if (passes_over(pmu, tracee, &stop, rr_hits(tracee, &stop)))
				return go_on(pmu, tracee, &stop, false, interrupted, status);
			cover_tracks(tracee, &stop);
			return STOP_FOR_RR;
		}
		break;
	case CODECACHE_GONE:
		break;
	}
	tracee->mode = RESUME_NATIVE;
	return STOP_FOR_RR;
}

/*
 * At the entry and exit of a call that can change the signal mask: the kernel must see the
 * program's own mask, and another leg begins with the new mask.
 */
static enum stop_verdict judge_mask_call(struct softpmu *pmu, struct tracee *tracee, int *status)
{
	struct __ptrace_syscall_info info = {0};
	struct stop stop;

	if (!look(tracee, *status, &stop) ||
	    kernel_ptrace(PTRACE_GET_SYSCALL_INFO, tracee->tid, sizeof info, (uint64_t)&info) <=
		0 ||
	    info.op == PTRACE_SYSCALL_INFO_NONE)
		return STOP_OURS;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		trapmask_close(tracee);
		kernel_ptrace(PTRACE_SYSCALL, tracee->tid, 0, 0);
		return STOP_OURS;
	}
	trapmask_open(pmu->tracees, tracee, &stop.regs);
	return go_on(pmu, tracee, &stop, false, 0, status);
}

static enum stop_verdict judge_leg(struct softpmu *pmu, struct tracee *tracee, int *status)
{
	struct stop stop;
	int interrupted = *status;
	bool overflows, over;

	cover_end(tracee);
	if (!take_pending_trap(tracee, status))
		interrupted = 0;
	if (WIFSTOPPED(*status) && tracee->mode == RESUME_RUN && tracee->leg == LEG_CACHE)
		return judge_cache_leg(pmu, tracee, interrupted, status);
	if (WIFSTOPPED(*status) && tracee->mode == RESUME_RUN && tracee->leg == LEG_MASK &&
	    *status >> 8 == (SIGTRAP | 0x80))
		return judge_mask_call(pmu, tracee, status);
	if (!WIFSTOPPED(*status))
		return STOP_FOR_RR;
	if (!look(tracee, *status, &stop))
		return *status >> 16 == PTRACE_EVENT_EXIT ? STOP_FOR_RR : STOP_OURS;
	overflows = count_leg(pmu, tracee, &stop);
	if (tracee->leg == LEG_STEP && tracee->mode == RESUME_RUN)
		clean_after_step(tracee, &stop);
	if (tracee->leg == LEG_STEP && tracee->touches && stop.signal == SIGTRAP &&
	    stop.code == TRAP_TRACE && !passes_over(pmu, tracee, &stop, tracee->touches))
		stop_by_debug(tracee, &stop, tracee->touches);
	over = ends_leg(tracee, &stop) || passes_over(pmu, tracee, &stop, rr_hits(tracee, &stop));
	if (tracee->mode == RESUME_STEP && rr_hits(tracee, &stop) == 0)
		accesslog_note_step(pmu->conditions.accesses, tracee, stop.regs.rip);
	if (tracee->mode != RESUME_RUN || !over) {
		cover_tracks(tracee, &stop);
		return STOP_FOR_RR;
	}
	return go_on(pmu, tracee, &stop, overflows, interrupted, status);
}

bool stops_may_be_ours(struct softpmu *pmu, pid_t tid)
{
	struct tracee *tracee = tracees_find(pmu->tracees, tid);

	return tracee && tracee->mode == RESUME_RUN;
}

enum stop_verdict stops_judge(struct softpmu *pmu, pid_t tid, int *status)
{
	struct tracee *tracee = tracees_find(pmu->tracees, tid);
	enum stop_verdict verdict = STOP_FOR_RR;

	if (!tracee)
		return STOP_FOR_RR;
	x87address_correct_frame(tracee, signalframe_correct(tracee, *status));
	if (*status >> 16 == PTRACE_EVENT_EXIT)
		tracee->overflowed = false; /* it has been killed: nothing comes before that */
	if (WIFSTOPPED(*status) && tracee->mode != RESUME_NATIVE) {
		verdict = judge_leg(pmu, tracee, status);
		if (verdict == STOP_FOR_RR)
			pmu->totals.nanoseconds += nanoseconds_since_request(pmu);
	} else if (WIFSTOPPED(*status) && tracee->overflowed)
		*status = overflow_status(tracee);
	if (verdict == STOP_FOR_RR)
		pmu->conditions.stopped = *status >> 16 == PTRACE_EVENT_EXEC ? 0 : tracee->borrower;
	if (verdict == STOP_FOR_RR && !tracee->overflowed)
		note_status(pmu, tracee, *status);
	return verdict;
}
