/*
 * Shares the debug registers between rr and us. A write is a system call, so registers are written
 * only when they change; a stale breakpoint outside the code that runs does no harm and stays.
 * It must never touch a register that rr has in use, nor let one of ours outlive disarm.
 */
#include "worker/softpmu/traps/debugregs.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/traps/processor.h"

/* DR7: two enable bits a register, then from bit 16 four bits of type and length. Ours are local,
 * execution (0), length one (0). */
#define ENABLE_BITS(i) (3ull << (2 * (i)))
#define ENABLE_OURS(i) (1ull << (2 * (i)))
#define KIND_BITS(i)   (0xfull << (16 + 4 * (i)))

uint64_t debug_registers_offset(unsigned index)
{
	return offsetof(struct user, u_debugreg) + index * sizeof(uint64_t);
}

bool debug_registers_is_offset(uint64_t address, unsigned *index)
{
	uint64_t first = debug_registers_offset(0);

	if (address < first || address > debug_registers_offset(DEBUG_CONTROL) ||
	    (address - first) % sizeof(uint64_t) != 0)
		return false;
	*index = (unsigned)((address - first) / sizeof(uint64_t));
	return true;
}

void debug_registers_reset(struct debug_registers *registers)
{
	*registers = (struct debug_registers){.status_mask = ~0ull};
}

static long poke(pid_t tid, unsigned index, uint64_t value)
{
	return kernel_ptrace(PTRACE_POKEUSER, tid, debug_registers_offset(index), value);
}

static bool rr_uses(const struct debug_registers *registers, unsigned i)
{
	return registers->rr_control & ENABLE_BITS(i);
}

static bool ours(const struct debug_registers *registers, unsigned i)
{
	return !rr_uses(registers, i) && (registers->control & ENABLE_BITS(i));
}

static long set_control(struct debug_registers *registers, pid_t tid, uint64_t control)
{
	long result = 0;

	if (registers->control != control) {
		result = poke(tid, DEBUG_CONTROL, control);
		if (result >= 0)
			registers->control = control;
	}
	return result;
}

static long set_address(struct debug_registers *registers, pid_t tid, unsigned i, uint64_t address)
{
	long result = 0;

	if (registers->address[i] != address) {
		result = poke(tid, i, address);
		if (result >= 0)
			registers->address[i] = address;
	}
	return result;
}

int debug_registers_disarm(struct debug_registers *registers, pid_t tid)
{
	if (!processor()->debug_registers)
		return 0;
	return (int)set_control(registers, tid, registers->rr_control);
}

int debug_registers_blind(struct debug_registers *registers, pid_t tid)
{
	uint64_t control = registers->rr_control, start, end;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		if (debug_registers_rr_watch(registers, i, &start, &end))
			control &= ~ENABLE_BITS(i);
	}
	return (int)set_control(registers, tid, control);
}

/* Makes the kernel's registers what rr believes them to be, before rr changes them. */
static long restore(struct debug_registers *registers, pid_t tid)
{
	long result = debug_registers_disarm(registers, tid);

	if (!processor()->debug_registers)
		return 0;
	for (unsigned i = 0; result >= 0 && i < DEBUG_REGISTERS; i++)
		result = set_address(registers, tid, i, registers->rr_address[i]);
	return result;
}

long debug_registers_rr_poke(
    struct debug_registers *registers, pid_t tid, unsigned index, uint64_t value)
{
	long result;

	if (index == DEBUG_STATUS) {
		registers->rr_status = value;
		registers->status_mask = ~0ull;
		registers->touched = 0;
		return poke(tid, index, value);
	}
	result = restore(registers, tid);
	if (result >= 0 && processor()->debug_registers)
		result = poke(tid, index, value);
	if (result < 0)
		return result;
	if (index == DEBUG_CONTROL)
		registers->control = registers->rr_control = value;
	else if (index < DEBUG_REGISTERS)
		registers->address[index] = registers->rr_address[index] = value;
	return result;
}

long debug_registers_rr_peek(
    struct debug_registers *registers, pid_t tid, unsigned index, uint64_t *value)
{
	uint64_t real = 0;
	long result =
	    kernel_ptrace(PTRACE_PEEKUSER, tid, debug_registers_offset(index), (uint64_t)&real);

	if (!processor()->debug_registers)
		real &= ~(uint64_t)DEBUG_STATUS_TOUCHED;
	if (index < DEBUG_REGISTERS)
		*value = registers->rr_address[index];
	else if (index == DEBUG_CONTROL)
		*value = registers->rr_control;
	else if (index == DEBUG_STATUS)
		*value = (real & registers->status_mask) | registers->touched |
			 (registers->rr_status & ~registers->status_mask);
	else
		*value = real;
	return result;
}

unsigned debug_registers_rr_used(const struct debug_registers *registers)
{
	unsigned used = 0;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
		used |= (unsigned)rr_uses(registers, i) << i;
	return used;
}

/* Its type, and above it its length. */
static unsigned kind_of(const struct debug_registers *registers, unsigned i)
{
	return (unsigned)(registers->rr_control >> (16 + 4 * i)) & 0xf;
}

bool debug_registers_rr_executes(const struct debug_registers *registers, unsigned i)
{
	return rr_uses(registers, i) && (kind_of(registers, i) & 3) == 0;
}

bool debug_registers_rr_watch(
    const struct debug_registers *registers, unsigned i, uint64_t *start, uint64_t *end)
{
	static const uint8_t length[] = {1, 2, 8, 4};
	const unsigned kind = kind_of(registers, i);

	if (!rr_uses(registers, i) || (kind & 3) == 0)
		return false;
	*start = registers->rr_address[i] & ~(uint64_t)(length[kind >> 2] - 1u);
	*end = *start + length[kind >> 2];
	return true;
}

bool debug_registers_rr_reads(const struct debug_registers *registers, unsigned i)
{
	return rr_uses(registers, i) && (kind_of(registers, i) & 3) == 3;
}

int debug_registers_only_watch(
    const struct debug_registers *registers, uint64_t *start, uint64_t *end)
{
	int only = -1;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		if (!debug_registers_rr_watch(registers, i, start, end))
			continue;
		if (only >= 0 || debug_registers_rr_reads(registers, i))
			return -1;
		only = (int)i;
	}
	return only;
}

unsigned debug_registers_free(const struct debug_registers *registers)
{
	unsigned count = 0;

	if (registers->unusable || !processor()->debug_registers)
		return 0;
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
		count += !rr_uses(registers, i);
	return count;
}

bool debug_registers_holds(const struct debug_registers *registers, uint64_t address)
{
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		if (ours(registers, i) && registers->address[i] == address)
			return true;
	}
	return false;
}

static bool is_stop(const struct region *region, uint64_t address)
{
	for (unsigned i = 0; i < region->stops; i++) {
		if (region->stop[i] == address)
			return true;
	}
	return false;
}

/* A free register to carry a stop: one whose breakpoint is not wanted, out of force for choice. */
static int choose(const struct debug_registers *registers, const struct region *region)
{
	int best = -1;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		if (rr_uses(registers, i) ||
		    (ours(registers, i) && is_stop(region, registers->address[i])))
			continue;
		if (best < 0 || region_count_at(region, registers->address[i]) >= 0)
			best = (int)i;
	}
	return best;
}

/* Stale breakpoints inside the region would cost a stop each time: out with them. */
static uint64_t without_stale(const struct debug_registers *registers, const struct region *region)
{
	uint64_t control = registers->control;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		if (ours(registers, i) && !is_stop(region, registers->address[i]) &&
		    region_count_at(region, registers->address[i]) >= 0)
			control &= ~ENABLE_BITS(i);
	}
	return control;
}

int debug_registers_arm(struct debug_registers *registers, pid_t tid, const struct region *region)
{
	for (unsigned s = 0; s < region->stops; s++) {
		uint64_t wanted;
		long result;
		int i;

		if (debug_registers_holds(registers, region->stop[s]))
			continue;
		i = choose(registers, region);
		if (i < 0)
			return -ENOSPC;
		/* Enabled first: the kernel refuses an odd address for a register that still has
		 * the length of an old watchpoint. */
		wanted = (registers->control & ~(ENABLE_BITS(i) | KIND_BITS(i))) | ENABLE_OURS(i);
		result = set_control(registers, tid, wanted);
		if (result >= 0)
			result = set_address(registers, tid, (unsigned)i, region->stop[s]);
		if (result < 0)
			return (int)result;
	}
	return (int)set_control(registers, tid, without_stale(registers, region));
}
