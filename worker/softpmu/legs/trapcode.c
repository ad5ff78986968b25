/*
 * Must never take for a trap of ours what the program has made itself, nor for a step what has not
 * retired.
 */
#include "worker/softpmu/legs/trapcode.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>

#include "worker/softpmu/base/address.h"
#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/watches.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/x86/decode.h"
#include "worker/x86/eflags.h"
#include "worker/x86/instruction.h"
#include "worker/x86/prefixes.h"

/* A trap, as the kernel describes it: si_code, and the debug status. code 0: as it is. */
struct trap {
	int code;
	uint64_t status;
};

static const struct trap as_it_is = {0, 0};

static void tell(const struct tracee *tracee, siginfo_t *info, const struct trap *trap)
{
	info->si_code = trap->code;
	kernel_ptrace(PTRACE_SETSIGINFO, tracee->tid, 0, (uint64_t)info);
	if (processor()->debug_registers)
		kernel_ptrace(PTRACE_POKEUSER, tracee->tid, debug_registers_offset(DEBUG_STATUS),
		    trap->status);
}

/* ---- Hits of rr's debug registers ------------------------------------------------------------ */

/* Of what a program can touch: gdb also watches marks that no program has. */
static bool watches_data(
    const struct debug_registers *registers, unsigned i, uint64_t *start, uint64_t *end)
{
	return processor()->debug_registers && debug_registers_rr_watch(registers, i, start, end) &&
	       address_is_users(*start);
}

/* Bits 0 to 3, as in the status. */
static unsigned data_watches(const struct debug_registers *registers)
{
	unsigned watches = 0;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t start, end;

		watches |= (unsigned)watches_data(registers, i, &start, &end) << i;
	}
	return watches;
}

/* An instruction, and the registers before it, or those behind it. */
struct passed {
	struct decoded decoded;
	struct user_regs_struct regs;
	bool is_over;
};

/* Where an access went. Behind its instruction, an address in registers that this has changed is
 * lost, but for the stack's. */
static bool range_of(
    const struct passed *passed, const struct access *access, uint64_t *start, uint64_t *end)
{
	enum { RSP = 4 };

	accesses_range(access, &passed->regs, NULL, false, start, end);
	if (!passed->is_over || !access->lost)
		return true;
	if (access->base != RSP || access->index != ACCESS_NO_REGISTER)
		return false;
	*start = passed->regs.rsp - (access->writes ? 0 : access->size);
	*end = *start + access->size;
	return true;
}

/* A store to where nobody knows may have hit: rr compares what it watches. */
static bool may_hit(const struct passed *passed, const struct access *access, bool for_reads,
    uint64_t start, uint64_t end)
{
	uint64_t first, last;

	if (access->flushes || !(access->writes || (for_reads && access->reads)))
		return false;
	if (!range_of(passed, access, &first, &last))
		return access->writes;
	return first < end && start < last;
}

static unsigned hits_of(const struct debug_registers *registers, const struct passed *passed)
{
	struct accesses accesses;
	unsigned hits = 0;

	accesses_decoded(
	    &passed->decoded.instruction, passed->decoded.operands, passed->regs.rip, &accesses);
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		const bool for_reads = debug_registers_rr_reads(registers, i);
		uint64_t start, end;

		if (!watches_data(registers, i, &start, &end))
			continue;
		for (unsigned k = 0; k < accesses.count; k++)
			hits |= (unsigned)may_hit(passed, &accesses.list[k], for_reads, start, end)
				<< i;
	}
	return hits;
}

/* Of the instruction behind which the tracee stands: of each that may end there. */
static unsigned hits_before(const struct tracee *tracee, const struct user_regs_struct *regs)
{
	struct passed passed = {.regs = *regs, .is_over = true};
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	unsigned hits = 0;

	if (data_watches(&tracee->debug) == 0)
		return 0;
	for (uint64_t length = 1; length <= sizeof bytes; length++) {
		passed.regs.rip = regs->rip - length;
		if (memory_read_code(tracee->tid, passed.regs.rip, bytes, length) == length &&
		    instruction_decode(bytes, length, &passed.decoded) &&
		    passed.decoded.instruction.length == length)
			hits |= hits_of(&tracee->debug, &passed);
	}
	return hits;
}

/* Of the instruction that a step began with. */
static unsigned hits_of_step(const struct tracee *tracee)
{
	struct passed passed = {.regs = tracee->began};
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	const size_t length = memory_read_code(tracee->tid, tracee->began.rip, bytes, sizeof bytes);

	return data_watches(&tracee->debug) && instruction_decode(bytes, length, &passed.decoded)
		   ? hits_of(&tracee->debug, &passed)
		   : 0;
}

/* ---- Legs ------------------------------------------------------------------------------------ */

/* The kernel itself says TRAP_BRKPT where a step ends with a system call, and behind int1. */
static bool says_breakpoint(const struct tracee *tracee)
{
	enum { INT1 = 0xf1, INT = 0xcd, TWO_BYTES = 0x0f, SYSCALL = 0x05, SYSENTER = 0x34 };
	uint8_t bytes[DECODE_INSTRUCTION_MAX + 2] = {0};
	const size_t length =
	    memory_read_code(tracee->tid, tracee->began.rip, bytes, DECODE_INSTRUCTION_MAX);
	const uint8_t *code = bytes + prefixes_of(bytes, length).length;

	return tracee->in_call || code[0] == INT1 || code[0] == INT ||
	       (code[0] == TWO_BYTES && (code[1] == SYSCALL || code[1] == SYSENTER));
}

static bool is_behind_int1(const struct tracee *tracee, uint64_t rip)
{
	enum { INT1 = 0xf1 };
	uint8_t before = 0;

	return memory_read_code(tracee->tid, rip - 1, &before, sizeof before) == sizeof before &&
	       before == INT1;
}

bool trapcode_has_stepped(const struct tracee *tracee, const struct user_regs_struct *regs)
{
	struct block block;
	pid_t tid = tracee->tid;

	if (!decode_same_registers(regs, &tracee->began))
		return true;
	decode_instruction(memory_code_reader, &tid, regs->rip, &block);
	return block.ending.counts && block.ending.target == regs->rip;
}

/* A breakpoint of rr's comes before the instruction, so nothing has retired. Behind an instruction
 * it is a step, whatever else it is. */
static struct trap trap_of_step(
    const struct tracee *tracee, int code, const struct user_regs_struct *regs)
{
	if (!tracee->in_call && regs->rip == tracee->began.rip &&
	    watches_trap_first(&tracee->debug, &tracee->began))
		return (struct trap){TRAP_HWBKPT, watches_reached(&tracee->debug, regs->rip)};
	if (code == TRAP_TRACE || says_breakpoint(tracee) || !trapcode_has_stepped(tracee, regs))
		return as_it_is;
	return (struct trap){TRAP_TRACE, DEBUG_STATUS_STEP | hits_of_step(tracee)};
}

/* A run stops at a breakpoint of ours or of rr's, or behind what rr watches. */
static struct trap trap_of_region(
    const struct tracee *tracee, int code, const struct user_regs_struct *regs)
{
	unsigned hits = hits_before(tracee, regs) | watches_reached(&tracee->debug, regs->rip);

	if (hits == 0 && !debug_registers_holds(&tracee->debug, regs->rip)) {
		if (code == TRAP_BRKPT && is_behind_int1(tracee, regs->rip))
			return as_it_is;
		hits = data_watches(&tracee->debug);
		if (hits == 0)
			return as_it_is;
	}
	return (struct trap){TRAP_HWBKPT, hits};
}

/* In the code cache, nothing but what rr watches stops a tracee so. */
static struct trap trap_of_cache(
    const struct tracee *tracee, int code, const struct user_regs_struct *regs)
{
	unsigned hits = hits_before(tracee, regs);

	if (data_watches(&tracee->debug) == 0 ||
	    (code == TRAP_BRKPT && is_behind_int1(tracee, regs->rip)))
		return as_it_is;
	return (struct trap){TRAP_HWBKPT, hits ? hits : data_watches(&tracee->debug)};
}

/* Which the kernel has set for a breakpoint that was none: one at rip must stop the tracee. */
static void clear_resume_flag(const struct tracee *tracee, struct user_regs_struct *regs)
{
	regs->eflags &= ~(uint64_t)FLAG_RESUME;
	kernel_ptrace(
	    PTRACE_POKEUSER, tracee->tid, offsetof(struct user, regs.eflags), regs->eflags);
}

static struct trap trap_of(
    const struct tracee *tracee, int code, const struct user_regs_struct *regs)
{
	switch (tracee->leg) {
	case LEG_STEP:
		return trap_of_step(tracee, code, regs);
	case LEG_REGION:
		return trap_of_region(tracee, code, regs);
	case LEG_CACHE:
		return trap_of_cache(tracee, code, regs);
	case LEG_MASK:
	case LEG_SYSCALL:
		break;
	}
	return as_it_is;
}

void trapcode_correct(const struct tracee *tracee, siginfo_t *info, struct user_regs_struct *regs)
{
	static const struct trap lost = {TRAP_BRKPT, 0};
	struct trap trap;

	/* A program may send itself a SIGTRAP that says the same. */
	if ((uint64_t)(uintptr_t)info->si_addr != regs->rip)
		return;
	if (!processor()->tells_status &&
	    (info->si_code == TRAP_TRACE || info->si_code == TRAP_HWBKPT))
		tell(tracee, info, &lost);
	if (info->si_code != TRAP_TRACE && info->si_code != TRAP_BRKPT &&
	    (info->si_code != TRAP_HWBKPT || tracee->leg != LEG_STEP))
		return;
	trap = trap_of(tracee, info->si_code, regs);
	if (trap.code == 0)
		return;
	if (trap.code == TRAP_TRACE && info->si_code == TRAP_HWBKPT)
		clear_resume_flag(tracee, regs);
	tell(tracee, info, &trap);
}
