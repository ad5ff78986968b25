/*
 * It must never overlook an access: what cannot be told counts as touched, and rr itself compares
 * the value of what it watches for writes.
 */
#include "worker/softpmu/cache/watches.h"

#include "worker/softpmu/base/masks.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/x86/tallymark.h"
#include "worker/x86/eflags.h"

static bool watched(const struct debug_registers *registers, unsigned i, uint64_t *start,
    uint64_t *end, bool *reads)
{
	*reads = debug_registers_rr_reads(registers, i);
	return debug_registers_rr_watch(registers, i, start, end) && *start != CHECKMARK;
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

void watches_mark(const struct arena *arena, uint64_t start, uint64_t end, uint8_t value)
{
	for (unsigned bits = 0; bits < WATCH_SIZES; bits++) {
		for (uint64_t at = start - ((1u << bits) - 1); at != end; at++)
			arena->memory[table(bits) + (at & (WATCH_TABLE_SIZE - 1))] = value;
	}
}

static void mark(const struct arena *arena, const struct debug_registers *registers, uint8_t value)
{
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t start, end;
		bool reads;

		if (watched(registers, i, &start, &end, &reads))
			watches_mark(arena, start, end, value);
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

static uint64_t hash_at(const struct conditions *conditions, uint64_t address)
{
	const struct condition *condition = conditions_find(conditions, address);

	return condition ? condition->hash : 0;
}

const struct condition *watches_condition(const struct watches *watches, uint64_t address)
{
	for (unsigned i = 0; i < watches->asked_count; i++) {
		if (watches->asked[i] == address && watches->judged[i] != 0)
			return conditions_find(watches->conditions, address);
	}
	return NULL;
}

static bool counts_at(const struct conditions *conditions, uint64_t address)
{
	const struct condition *condition = conditions_find(conditions, address);

	return condition && condition->counts;
}

static bool counts_any(const struct watches *watches, const struct debug_registers *registers)
{
	bool counts = false;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++)
		counts |= watches_reached(registers, registers->rr_address[i]) &&
			  counts_at(watches->conditions, registers->rr_address[i]);
	return counts;
}

/* There is one sum for all passes. Code that counts those of a breakpoint that is gone would add
 * them to another's: it is made anew without. */
static bool stop_counting(struct watches *watches, const struct debug_registers *registers)
{
	const unsigned before = watches->asked_count;

	if (!counts_any(watches, registers))
		return false;
	for (unsigned i = before; i-- > 0;) {
		const unsigned last = watches->asked_count - 1;

		if (!watches->counted[i] || watches_reached(registers, watches->asked[i]))
			continue;
		watches->asked[i] = watches->asked[last];
		watches->judged[i] = watches->judged[last];
		watches->counted[i] = watches->counted[last];
		watches->asked_count = last;
	}
	return watches->asked_count != before;
}

/*
 * Whether the code judges another condition than a breakpoint has now. What it judges of one that
 * is gone does not matter.
 */
static bool judge_anew(struct watches *watches, const struct debug_registers *registers)
{
	bool anew = false;

	for (unsigned i = 0; i < watches->asked_count; i++) {
		uint64_t hash = hash_at(watches->conditions, watches->asked[i]);

		if (hash == watches->judged[i] || !watches_reached(registers, watches->asked[i]))
			continue;
		watches->judged[i] = hash;
		watches->counted[i] = counts_at(watches->conditions, watches->asked[i]);
		anew = true;
	}
	return anew;
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
 * about the earlier ones, but not for long: each question is a stop. True when there is another
 * one, or too many questions were in vain.
 */
static bool ask_at_all(struct watches *watches, const struct debug_registers *registers)
{
	unsigned i = 0;

	while (i < DEBUG_REGISTERS && !is_another(watches, registers, i))
		i++;
	if (i == DEBUG_REGISTERS && watches->vain < WATCH_VAIN)
		return false;
	if (watches->asked_count > WATCH_ASKED - DEBUG_REGISTERS || watches->vain >= WATCH_VAIN)
		watches->asked_count = 0;
	watches->vain = 0;
	for (i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t address = registers->rr_address[i];

		if (!is_another(watches, registers, i))
			continue;
		watches->judged[watches->asked_count] = hash_at(watches->conditions, address);
		watches->counted[watches->asked_count] = counts_at(watches->conditions, address);
		watches->asked[watches->asked_count++] = address;
	}
	return true;
}

bool watches_set(struct watches *watches, const struct arena *arena,
    const struct debug_registers *registers, const struct conditions *conditions)
{
	enum watch_level level;
	bool anew;

	if (same(&watches->set, registers) && watches->vain < WATCH_VAIN &&
	    watches->changes == conditions->changes)
		return false;
	watches->conditions = conditions;
	watches->changes = conditions->changes;
	level = level_of(registers);
	anew = stop_counting(watches, registers);
	anew |= judge_anew(watches, registers);
	anew |= ask_at_all(watches, registers) || level > watches->level;
	if (!processor()->debug_registers) {
		mark(arena, &watches->set, 0);
		mark(arena, registers, 1);
	}
	watches->set = *registers;
	if (level > watches->level)
		watches->level = level;
	return anew;
}

void watches_note_question(
    struct watches *watches, const struct debug_registers *registers, uint64_t address)
{
	if (watches_asks(watches, address) && !watches_reached(registers, address))
		watches->vain++;
}

bool watches_look_at(enum watch_level level, const struct access *access)
{
	return (level >= WATCH_WRITES && access->writes) ||
	       (level == WATCH_ALL && access->reads && !access->flushes);
}

/* The code adds the segment's base to one register, and has rcx for that. */
static bool can_add_segment(const struct access *access)
{
	enum { RCX = 1 };

	return access->segment == 'f' && processor()->reads_fs && !access->short_address &&
	       !access->relative && access->base != RCX && access->index != RCX &&
	       (access->base == ACCESS_NO_REGISTER || access->index == ACCESS_NO_REGISTER);
}

uint32_t watches_table(const struct access *access)
{
	unsigned bits = 0;

	if (access->kind != ACCESS_PLAIN || (access->segment && !can_add_segment(access)) ||
	    (!access->relative && access->displacement != (int32_t)access->displacement))
		return 0;
	while (bits < WATCH_SIZES && 1u << bits < access_most(access))
		bits++;
	return bits < WATCH_SIZES ? table(bits) : 0;
}

/* An access of a kind that register i watches for; what it watches is [start, end). */
typedef void see_access(
    void *context, unsigned i, const struct access *access, uint64_t start, uint64_t end);

static void each_watched(const struct debug_registers *registers, const struct accesses *accesses,
    see_access *see, void *context)
{
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t start, end;
		bool reads;

		if (!watched(registers, i, &start, &end, &reads))
			continue;
		for (unsigned k = 0; k < accesses->count; k++) {
			const struct access *access = &accesses->list[k];

			if (access->writes || (reads && access->reads && !access->flushes))
				see(context, i, access, start, end);
		}
	}
}

struct touching {
	const struct user_regs_struct *regs;
	const uint64_t *masks;
	bool all;
	unsigned touched;
};

static void touch(
    void *context, unsigned i, const struct access *access, uint64_t start, uint64_t end)
{
	struct touching *touching = context;
	uint64_t first, last;

	accesses_range(access, touching->regs, touching->masks, touching->all, &first, &last);
	if (first < end && start < last)
		touching->touched |= 1u << i;
}

static unsigned touched_of(const struct debug_registers *registers, const struct accesses *accesses,
    const struct user_regs_struct *regs, const uint64_t *masks, bool all)
{
	struct touching touching = {.regs = regs, .masks = masks, .all = all};

	if (level_of(registers) != WATCH_NOTHING)
		each_watched(registers, accesses, touch, &touching);
	return touching.touched;
}

unsigned watches_touched(const struct debug_registers *registers, const uint8_t *bytes,
    size_t length, const struct user_regs_struct *regs, const uint64_t *masks, bool all)
{
	struct accesses accesses;

	accesses_of(bytes, length, regs->rip, &accesses);
	return touched_of(registers, &accesses, regs, masks, all);
}

static bool is_masked(const struct accesses *accesses)
{
	bool masked = false;

	for (unsigned i = 0; i < accesses->count; i++)
		masked |= accesses->list[i].mask != 0;
	return masked;
}

static unsigned touched_by(pid_t tid, const struct debug_registers *registers,
    const struct accesses *accesses, const struct user_regs_struct *regs, bool all)
{
	unsigned touched = touched_of(registers, accesses, regs, NULL, all);
	uint64_t masks[MASK_REGISTERS];

	return touched && is_masked(accesses) && masks_read(tid, masks)
		   ? touched_of(registers, accesses, regs, masks, all)
		   : touched;
}

unsigned watches_touched_by(pid_t tid, const struct debug_registers *registers,
    const uint8_t *bytes, size_t length, const struct user_regs_struct *regs)
{
	struct accesses accesses;

	if (level_of(registers) == WATCH_NOTHING)
		return 0;
	accesses_of(bytes, length, regs->rip, &accesses);
	return touched_by(tid, registers, &accesses, regs, false);
}

bool watches_can_part(const struct accesses *accesses)
{
	bool counted = accesses->count > 0;

	for (unsigned i = 0; i < accesses->count; i++)
		counted &= accesses->list[i].counted;
	return counted;
}

struct part {
	const struct user_regs_struct *regs;
	uint64_t least;
};

static void shorten(
    void *context, unsigned i, const struct access *access, uint64_t start, uint64_t end)
{
	struct part *part = context;
	uint64_t first = accesses_first(access, part->regs, start, end);

	(void)i;
	part->least = first < part->least ? first : part->least;
}

uint64_t watches_part(const struct debug_registers *registers, const struct accesses *accesses,
    const struct user_regs_struct *regs)
{
	struct part part = {regs, UINT64_MAX};

	each_watched(registers, accesses, shorten, &part);
	return part.least;
}

uint64_t watches_untouched(pid_t tid, const struct debug_registers *registers, const uint8_t *bytes,
    size_t length, const struct user_regs_struct *regs)
{
	struct accesses accesses;

	accesses_of(bytes, length, regs->rip, &accesses);
	if (!touched_by(tid, registers, &accesses, regs, true))
		return UINT64_MAX;
	return watches_can_part(&accesses) ? watches_part(registers, &accesses, regs) : 0;
}

unsigned watches_reached(const struct debug_registers *registers, uint64_t address)
{
	unsigned reached = 0;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		if (debug_registers_rr_executes(registers, i) &&
		    registers->rr_address[i] == address)
			reached |= 1u << i;
	}
	return reached;
}

bool watches_trap_first(
    const struct debug_registers *registers, const struct user_regs_struct *regs)
{
	return processor()->debug_registers && !(regs->eflags & FLAG_RESUME) &&
	       watches_reached(registers, regs->rip);
}
