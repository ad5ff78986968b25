/*
 * It must never overlook an access: what cannot be told counts as touched, and rr itself compares
 * the value of what it watches for writes.
 */
#include "worker/softpmu/watches.h"

#include "worker/softpmu/decoder.h"
#include "worker/softpmu/masks.h"
#include "worker/softpmu/processor.h"

static bool watched(const struct debug_registers *registers, unsigned i, uint64_t *start,
    uint64_t *end, bool *reads)
{
	bool executes;

	*reads = debug_registers_rr_reads(registers, i);
	return debug_registers_rr_watch(registers, i, start, end, &executes);
}

static enum watch_level level_of(const struct debug_registers *registers)
{
	enum watch_level level = WATCH_NOTHING;

	if (processor()->debug_registers)
		return level;
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t start, end;
		bool reads;

		if (!watched(registers, i, &start, &end, &reads))
			continue;
		if (reads)
			return WATCH_ALL;
		level = WATCH_WRITES;
	}
	return level;
}

static uint32_t table(unsigned size_bits)
{
	return ARENA_WATCHED + size_bits * WATCH_TABLE_SIZE;
}

static void mark(const struct arena *arena, const struct debug_registers *registers, uint8_t value)
{
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t start, end;
		bool reads;

		if (!watched(registers, i, &start, &end, &reads))
			continue;
		for (unsigned bits = 0; bits < WATCH_SIZES; bits++) {
			for (uint64_t at = start - ((1u << bits) - 1); at != end; at++)
				arena->memory[table(bits) + (at & (WATCH_TABLE_SIZE - 1))] = value;
		}
	}
}

static bool same(const struct debug_registers *one, const struct debug_registers *other)
{
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		if (one->rr_address[i] != other->rr_address[i])
			return false;
	}
	return one->rr_control == other->rr_control;
}

bool watches_asks(const struct watches *watches, uint64_t address)
{
	for (unsigned i = 0; i < watches->asked_count; i++) {
		if (watches->asked[i] == address)
			return true;
	}
	return false;
}

/* Whether register i holds a breakpoint about which the code does not ask. */
static bool is_another(
    const struct watches *watches, const struct debug_registers *registers, unsigned i)
{
	uint64_t address = registers->rr_address[i];

	return (watches_reached(registers, address) & 1u << i) && !watches_asks(watches, address);
}

/*
 * gdb takes its breakpoints out at each of its stops and puts them in again, so code goes on asking
 * about those of before. True when there is another one.
 */
static bool ask_at_all(struct watches *watches, const struct debug_registers *registers)
{
	unsigned i = 0;

	while (i < DEBUG_REGISTERS && !is_another(watches, registers, i))
		i++;
	if (i == DEBUG_REGISTERS)
		return false;
	if (watches->asked_count > WATCH_ASKED - DEBUG_REGISTERS)
		watches->asked_count = 0;
	for (i = 0; i < DEBUG_REGISTERS; i++) {
		if (is_another(watches, registers, i))
			watches->asked[watches->asked_count++] = registers->rr_address[i];
	}
	return true;
}

bool watches_set(
    struct watches *watches, const struct arena *arena, const struct debug_registers *registers)
{
	enum watch_level level;
	bool anew;

	if (same(&watches->set, registers))
		return false;
	level = level_of(registers);
	anew = ask_at_all(watches, registers) || level > watches->level;
	if (!processor()->debug_registers) {
		mark(arena, &watches->set, 0);
		mark(arena, registers, 1);
	}
	watches->set = *registers;
	if (level > watches->level)
		watches->level = level;
	return anew;
}

bool watches_look_at(enum watch_level level, const struct access *access)
{
	return (level >= WATCH_WRITES && access->writes) || (level == WATCH_ALL && access->reads);
}

uint32_t watches_table(const struct access *access)
{
	unsigned bits = 0;

	if (access->kind != ACCESS_PLAIN || access->segment ||
	    (!access->relative && access->displacement != (int32_t)access->displacement))
		return 0;
	while (bits < WATCH_SIZES && 1u << bits < access->size)
		bits++;
	return bits < WATCH_SIZES ? table(bits) : 0;
}

unsigned watches_touched(const struct debug_registers *registers, const uint8_t *bytes,
    size_t length, const struct user_regs_struct *regs, const uint64_t *masks, bool all)
{
	unsigned touched = 0;
	struct accesses accesses;

	if (level_of(registers) == WATCH_NOTHING)
		return 0;
	accesses_of(bytes, length, regs->rip, &accesses);
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t start, end;
		bool reads;

		if (!watched(registers, i, &start, &end, &reads))
			continue;
		for (unsigned k = 0; k < accesses.count; k++) {
			const struct access *access = &accesses.list[k];
			uint64_t first, last;

			accesses_range(access, regs, masks, all, &first, &last);
			if ((access->writes || (reads && access->reads)) && first < end &&
			    start < last)
				touched |= 1u << i;
		}
	}
	return touched;
}

static bool is_masked(const uint8_t *bytes, size_t length, uint64_t address)
{
	struct accesses accesses;
	bool masked = false;

	accesses_of(bytes, length, address, &accesses);
	for (unsigned i = 0; i < accesses.count; i++)
		masked |= accesses.list[i].mask != 0;
	return masked;
}

unsigned watches_touched_by(pid_t tid, const struct debug_registers *registers,
    const uint8_t *bytes, size_t length, const struct user_regs_struct *regs, bool all)
{
	unsigned touched = watches_touched(registers, bytes, length, regs, NULL, all);
	uint64_t masks[MASK_REGISTERS];

	return touched && is_masked(bytes, length, regs->rip) && masks_read(tid, masks)
		   ? watches_touched(registers, bytes, length, regs, masks, all)
		   : touched;
}

bool watches_can_part(const uint8_t *bytes, size_t length)
{
	struct accesses accesses;
	ZydisDecodedInstruction z;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder(), NULL, bytes, length, &z)) ||
	    !(z.attributes & ZYDIS_ATTRIB_HAS_REP) || z.address_width != 64)
		return false;
	accesses_of(bytes, length, 0, &accesses);
	for (unsigned i = 0; i < accesses.count; i++) {
		if (accesses.list[i].kind != ACCESS_STRING)
			return false;
	}
	return accesses.count > 0;
}

uint64_t watches_part(const struct debug_registers *registers, const uint8_t *bytes, size_t length,
    const struct user_regs_struct *regs)
{
	uint64_t least = UINT64_MAX;
	struct accesses accesses;

	accesses_of(bytes, length, regs->rip, &accesses);
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t start, end;
		bool reads;

		if (!watched(registers, i, &start, &end, &reads))
			continue;
		for (unsigned k = 0; k < accesses.count; k++) {
			const struct access *access = &accesses.list[k];
			uint64_t first = access->writes || (reads && access->reads)
					     ? accesses_first(access, regs, start, end)
					     : UINT64_MAX;

			least = first < least ? first : least;
		}
	}
	return least;
}

unsigned watches_reached(const struct debug_registers *registers, uint64_t address)
{
	unsigned reached = 0;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t start, end;
		bool executes = false;

		debug_registers_rr_watch(registers, i, &start, &end, &executes);
		if (executes && registers->rr_address[i] == address)
			reached |= 1u << i;
	}
	return reached;
}
