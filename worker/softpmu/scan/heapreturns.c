/*
 * See heapcheck.h. Must never take for an overflow what puts an address of code where one was: the
 * unwinder of exceptions, a hook, or a switch of stacks by copying.
 */
#include <string.h>

#include "worker/softpmu/base/addressset.h"
#include "worker/softpmu/base/masks.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/scan/heapcheck.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/x86/classify.h"
#include "worker/x86/decode.h"
#include "worker/x86/flow.h"

enum {
	WORD = 8,
	MOVED_MAX = 1 << 18, /* bytes by which the stack pointer moves up on one stack */
};

bool heapreturns_are_noted(const struct heapcheck *check)
{
	return check && !check->follow && !check->blocks_only && !check->returns_off &&
	       check->wanted_count == 0;
}

static void put(struct heapcheck *check, uint64_t slot, uint8_t value)
{
	uint8_t *at = heapshadow_of(&check->shadow, slot);

	if (at && (slot & (SHADOW_SEGMENT - 1)) + WORD <= SHADOW_SEGMENT)
		memset(at, value, WORD);
}

static bool is_marked(const struct heapcheck *check, uint64_t address)
{
	return heapshadow_at(&check->shadow, address) == SHADOW_RETURN;
}

static void forget(struct heapcheck *check, uint64_t start, uint64_t end)
{
	for (uint64_t slot = start & ~(uint64_t)(WORD - 1); slot < end; slot += WORD) {
		if (is_marked(check, slot))
			put(check, slot, SHADOW_CLEAR);
	}
}

/* ---- Calls, returns and the stack pointer ---------------------------------------------------- */

static uint64_t new_stack_pointer(
    const struct tracee *tracee, const struct classified *in, const struct user_regs_struct *regs)
{
	enum { STORE = 0x89, REGISTER = 3, HIGH = 8 };
	struct accesses accesses;
	uint64_t start, end, value = 0;

	if (in->z.opcode == STORE)
		return decode_register(regs, in->z.raw.modrm.reg + (in->z.raw.rex.R ? HIGH : 0));
	if (in->z.raw.modrm.mod == REGISTER)
		return decode_register(regs, in->z.raw.modrm.rm + (in->z.raw.rex.B ? HIGH : 0));
	accesses_of(in->bytes, in->z.length, in->address, &accesses);
	if (accesses.count == 0)
		return 0;
	accesses_range(&accesses.list[0], regs, NULL, false, &start, &end);
	return memory_read_word(tracee->tid, start, &value) ? value : 0;
}

void heapreturns_note(struct heapcheck *check, struct tracee *tracee,
    const struct user_regs_struct *regs, bool stepped)
{
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	struct classified in;
	uint64_t to;

	if (!heapreturns_are_noted(check) ||
	    !classify(regs->rip, bytes,
		memory_read_code(tracee->tid, regs->rip, bytes, sizeof bytes), &in))
		return;
	if (stepped && (in.control == CONTROL_CALL || in.control == CONTROL_CALL_TO))
		put(check, regs->rsp - WORD, SHADOW_RETURN);
	else if (stepped && in.z.meta.category == ZYDIS_CATEGORY_RET)
		put(check, regs->rsp, SHADOW_CLEAR);
	if (!classify_loads_stack_pointer(&in))
		return;
	to = new_stack_pointer(tracee, &in, regs);
	/* The unwinder of exceptions goes on with a return from there. */
	pools_leave(check, tracee, to + WORD);
	if (to > regs->rsp && to - regs->rsp <= MOVED_MAX)
		forget(check, regs->rsp, to);
}

/* ---- Stores ---------------------------------------------------------------------------------- */

/* Of a call through a register or memory, from its opcode on. */
static unsigned length_of_call(uint8_t modrm)
{
	enum { REGISTER = 3, SIB = 4, RELATIVE = 5 };
	const unsigned mod = modrm >> 6, rm = modrm & 7, sib = mod != REGISTER && rm == SIB;

	return 2 + sib + (mod == 1 ? 1 : mod == 2 || (mod == 0 && rm == RELATIVE) ? 4 : 0);
}

static bool is_behind_call(pid_t tid, uint64_t address)
{
	enum { NEAR = 5, SHORTEST = 2, LONGEST = 7, CALL = 0xe8, GROUP = 0xff, CALLS = 2 };
	uint8_t code[LONGEST];

	if (!memory_read(tid, address - LONGEST, code, sizeof code))
		return false;
	if (code[LONGEST - NEAR] == CALL)
		return true;
	for (unsigned length = SHORTEST; length <= LONGEST; length++) {
		const uint8_t *at = code + LONGEST - length;

		if (at[0] == GROUP && (at[1] >> 3 & 7) == CALLS && length_of_call(at[1]) == length)
			return true;
	}
	return false;
}

static bool is_code(const struct tracee *tracee, uint64_t address)
{
	return codepages_touches_code(tracee->space->pages, address, address + 1);
}

/* An instruction that writes, as far as that is to be known. */
struct store {
	const struct tracee *tracee;
	const struct access *access;
	const struct user_regs_struct *regs;
	const uint8_t *code;
	size_t length;
	const struct heapcheck_span *span;
};

static bool register_byte(const struct store *store, const struct piece *piece, uint8_t *byte)
{
	if (piece->vector)
		return masks_read_vector(
		    store->tracee->tid, piece->number, piece->offset, sizeof *byte, byte);
	*byte = (uint8_t)(decode_register(store->regs, piece->number) >> 8 * piece->offset);
	return true;
}

enum written { KNOWN, UNKNOWN, COMPUTED };

/* The byte that it writes there. */
static enum written byte_of(const struct store *store, uint64_t address, uint8_t *byte)
{
	const uint64_t offset = address - store->span->start;
	const bool string = store->access->kind == ACCESS_STRING;
	const unsigned in_one = (unsigned)(string ? offset % store->access->size : offset);
	uint64_t word;
	struct flow flow;

	if (!flow_of_selected(store->code, store->length, in_one, &flow))
		return UNKNOWN;
	switch (flow.kind) {
	case FLOW_REGISTER:
		return register_byte(store, &flow.piece, byte) ? KNOWN : UNKNOWN;
	case FLOW_CONSTANT:
		*byte = flow.bytes[0];
		return KNOWN;
	case FLOW_MEMORY:
		if (!string ||
		    !memory_read_word(store->tracee->tid, store->regs->rsi + offset, &word))
			return UNKNOWN;
		*byte = (uint8_t)word;
		return KNOWN;
	case FLOW_COMPUTED:
		return COMPUTED;
	case FLOW_NONE:
	case FLOW_ADDRESS:
	case FLOW_OTHER:
	case FLOW_MACHINE:
	case FLOW_KERNEL:
	case FLOW_CALL:
	case FLOW_MAYBE:
	case FLOW_PART:
		break;
	}
	return UNKNOWN;
}

static bool writes_byte(const struct store *store, uint64_t address)
{
	const struct heapcheck_span *span = store->span;

	return address >= span->start && address < span->end &&
	       (!accesses_is_masked(store->access) ||
		   (span->selected >> ((address - span->start) & 63) & 1));
}

/* Whether a store changes the return address in its slot, and to what is none. */
static bool destroys(const struct store *store, uint64_t slot, uint64_t old)
{
	uint64_t now = old;
	bool whole = true;

	for (unsigned i = 0; i < WORD; i++) {
		const uint64_t address = slot + i;
		uint8_t byte = 0;

		if (!writes_byte(store, address)) {
			whole = false;
			continue;
		}
		switch (byte_of(store, address, &byte)) {
		case KNOWN:
			break;
		case UNKNOWN:
			return false;
		case COMPUTED:
			return true;
		}
		now = (now & ~(0xffull << 8 * i)) | (uint64_t)byte << 8 * i;
	}
	return now != old && !is_behind_call(store->tracee->tid, now) &&
	       !(whole && is_code(store->tracee, now));
}

static bool writes_any(const struct store *store, uint64_t slot)
{
	bool any = false;

	for (unsigned i = 0; i < WORD; i++)
		any |= writes_byte(store, slot + i);
	return any;
}

static bool note(struct heapcheck *check, uint64_t pc, uint64_t old)
{
	const uint64_t key = (pc * 31 + old) * 31 + CHECK_RETURN;

	return addressset_add(check->seen, CHECK_SEEN, &check->seen_count, key ? key : 1);
}

static enum heapcheck_verdict report(
    struct heapcheck *check, struct tracee *tracee, const struct store *store, uint64_t slot)
{
	const struct heapcheck_span touched = heapcheck_touched(store->access, store->span);
	struct check_table *table = &check->table;

	table->found++;
	table->kind = CHECK_RETURN;
	table->pc = store->regs->rip;
	table->address = slot;
	table->start = touched.start;
	table->size = touched.end - touched.start;
	table->block = table->block_size = table->made = table->dropped = 0;
	table->maker = table->called = table->foreign = 0;
	table->block_state = CHECK_NO_BLOCK;
	return heapcheck_show(check, tracee, store->regs->rip);
}

enum heapcheck_verdict heapreturns_judge(struct heapcheck *check, struct tracee *tracee,
    const struct access *access, const struct heapcheck_span *span, const uint8_t *bytes,
    size_t length, const struct user_regs_struct *regs)
{
	const struct store store = {tracee, access, regs, bytes, length, span};

	if (!heapreturns_are_noted(check) || !tracee->space)
		return HEAPCHECK_GOES_ON;
	for (uint64_t slot = span->start & ~(uint64_t)(WORD - 1); slot < span->end; slot += WORD) {
		uint64_t old = 0;
		bool destroyed;

		if (!is_marked(check, slot) || !writes_any(&store, slot))
			continue;
		destroyed = slot >= regs->rsp && memory_read_word(tracee->tid, slot, &old) &&
			    is_code(tracee, old) && is_behind_call(tracee->tid, old) &&
			    destroys(&store, slot, old);
		put(check, slot, SHADOW_CLEAR);
		if (destroyed && check->shown && !tracee->check_due && note(check, regs->rip, old))
			return report(check, tracee, &store, slot);
	}
	return HEAPCHECK_GOES_ON;
}
