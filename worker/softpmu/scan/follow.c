/*
 * See follow.h.
 */
#include "worker/softpmu/scan/follow.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/masks.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/base/addressset.h"
#include "worker/softpmu/follow/stackroom.h"
#include "worker/softpmu/traps/tracees.h"

enum {
	RDX = 2,
	GRANULE = 8,
	/* At the beginning of a segment of the shadow, the code in the cache may have written past
	 * the end of the one before it: nothing is undefined there. */
	SEAM = 512,
	OUTPUT_MAX = 1 << 20,
	STACK_MAX = 64 << 20,
	BLOCK_MAX = 1 << 18, /* a block is looked for so far before an address */
};

static uint8_t undefined_at(const struct heapcheck *check, uint64_t address)
{
	const uint8_t *at = heapshadow_of(&check->shadow, address);

	return at && (address & (SHADOW_SEGMENT - 1)) >= SEAM ? *at : 0;
}

bool follow_has_undefined(const struct heapcheck *check, uint64_t start, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++) {
		if (undefined_at(check, start + i))
			return true;
	}
	return false;
}

void follow_mark(struct heapcheck *check, uint64_t start, uint64_t size)
{
	heapshadow_mark(&check->shadow, start, start + size, SHADOW_UNDEFINED);
}

/* ---- Where it comes from --------------------------------------------------------------------- */

static struct follow_carried *carried_at(struct heapfollow *follow, uint64_t granule)
{
	return &follow->carried[granule * 0x9e3779b97f4a7c15ull >> 40 & (FOLLOW_CARRIED - 1)];
}

/* The live block that has it; NULL: none that is not very large. */
static const struct heapblock *block_of(const struct heapcheck *check, uint64_t address)
{
	const uint64_t step = 16, last = address & ~(step - 1);

	for (uint64_t start = last; last - start < BLOCK_MAX; start -= step) {
		const struct heapblock *block = heapblocks_find(&check->blocks, start);

		if (block && !block->dropped)
			return address < block->start + block->size ? block : NULL;
	}
	return NULL;
}

static bool is_on_stack(const struct follow_memory *memory, uint64_t address)
{
	return address - (memory->step.regs->rsp - STACKROOM_RED_ZONE) < STACK_MAX;
}

/* The load of these bytes, first. A copy on the stack may be left over from another frame. */
static uint16_t load_of(
    const struct follow_memory *memory, uint64_t address, uint64_t start, uint64_t size)
{
	struct heapfollow *follow = memory->check->follow;
	const struct follow *thread = memory->tracee->check_follow;
	const struct follow_carried *carried = carried_at(follow, address / GRANULE);
	const bool known = carried->from && carried->granule == address / GRANULE;
	const uint64_t pc = memory->step.regs->rip;
	struct follow_load *load = &follow->load[follow->loads & (FOLLOW_LOADS - 1)];
	const struct heapblock *block;

	if (known && ((thread && carried->walk == thread->number) || !is_on_stack(memory, address)))
		return carried->from;
	if (load->pc == pc && load->address == address && follow->loads)
		return follow->loads;
	follow->loads = follow->loads == UINT16_MAX ? 1 : follow->loads + 1;
	load = &follow->load[follow->loads & (FOLLOW_LOADS - 1)];
	*load = (struct follow_load){
	    .pc = pc, .address = address, .start = start, .size = size, .copied = known};
	block = is_on_stack(memory, address) ? NULL : block_of(memory->check, address);
	if (block) {
		load->block = block->start;
		load->block_size = block->size;
		load->made = block->made;
	}
	return follow->loads;
}

static void carry(
    const struct follow_memory *memory, uint64_t address, uint64_t size, uint16_t from)
{
	struct heapfollow *follow = memory->check->follow;
	const struct follow *thread = memory->tracee->check_follow;

	for (uint64_t granule = address / GRANULE; granule <= (address + size - 1) / GRANULE;
	     granule++)
		*carried_at(follow, granule) =
		    (struct follow_carried){granule, thread ? thread->number : 0, from};
}

static void drop_carried(struct heapfollow *follow, uint64_t start, uint64_t size)
{
	const uint64_t first = start / GRANULE, last = (start + size) / GRANULE;

	if (last - first < FOLLOW_CARRIED) {
		for (uint64_t granule = first; granule <= last; granule++) {
			struct follow_carried *carried = carried_at(follow, granule);

			if (carried->granule == granule)
				carried->from = 0;
		}
		return;
	}
	for (size_t i = 0; i < FOLLOW_CARRIED; i++) {
		if (follow->carried[i].granule >= first && follow->carried[i].granule <= last)
			follow->carried[i].from = 0;
	}
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void read_bytes(void *context, uint64_t address, void *bytes, size_t size)
{
	const struct follow_memory *memory = context;

	memset(bytes, 0, size);
	memory_read_some(memory->tracee->tid, address, bytes, size);
}

static uint16_t load_undefined(void *context, uint64_t address, uint8_t *undefined, size_t size)
{
	const struct follow_memory *memory = context;
	size_t first = size;

	for (size_t i = size; i-- > 0;) {
		undefined[i] = undefined_at(memory->check, address + i);
		if (undefined[i])
			first = i;
	}
	return first < size ? load_of(memory, address + first, address, size) : 0;
}

static void store_undefined(
    void *context, uint64_t address, const uint8_t *undefined, size_t size, uint16_t from)
{
	const struct follow_memory *memory = context;
	bool any = false;

	for (size_t i = 0; i < size; i++) {
		uint8_t *at = heapshadow_of(&memory->check->shadow, address + i);

		if (at)
			*at = undefined[i];
		any |= undefined[i] != 0;
	}
	if (any && from)
		carry(memory, address, size, from);
}

static bool select_bytes(void *context, const struct access *access, uint64_t *selected)
{
	const struct follow_memory *memory = context;

	return masks_select(memory->tracee->tid, access, selected);
}

void follow_memory(struct follow_memory *memory, struct heapcheck *check, struct tracee *tracee)
{
	memory->check = check;
	memory->tracee = tracee;
	memory->memory = (struct undefined_memory){
	    memory, read_bytes, load_undefined, store_undefined, select_bytes};
}

void follow_copy(struct follow_memory *memory, uint64_t to, uint64_t from, uint64_t size)
{
	uint8_t undefined[UNDEFINED_VECTOR];

	/* Forward into itself, a copy repeats what it has just written. */
	const uint64_t most = to - from < sizeof undefined ? 1 : sizeof undefined;

	for (uint64_t i = 0, part; i < size; i += part) {
		uint16_t load;

		part = size - i < most ? size - i : most;
		load = load_undefined(memory, from + i, undefined, part);
		store_undefined(memory, to + i, undefined, part, load);
	}
}

/* ---- Findings -------------------------------------------------------------------------------- */

static bool report(
    struct heapcheck *check, enum check_kind kind, uint64_t pc, const struct follow_load *load)
{
	const struct heapblock *block = heapblocks_find(&check->blocks, load->block);
	const bool is_there = block && block->made == load->made;
	struct check_table *table = &check->table;
	const uint64_t key = pc * 31 + (uint64_t)kind;

	if (!addressset_add(check->seen, CHECK_SEEN, &check->seen_count, key ? key : 1))
		return false;
	table->found++;
	table->kind = (uint64_t)kind;
	table->pc = pc;
	table->address = load->address;
	table->start = load->start;
	table->size = load->size;
	table->loaded = load->pc;
	table->copied = load->copied;
	table->block = load->block;
	table->block_size = load->block_size;
	table->block_state = !load->block		   ? CHECK_NO_BLOCK
			     : is_there && !block->dropped ? CHECK_LIVE
							   : CHECK_FREED;
	table->made = load->made;
	table->dropped = is_there ? block->dropped : 0;
	return true;
}

bool follow_report(struct heapcheck *check, enum check_kind kind, uint64_t pc, uint16_t from)
{
	const bool known = from > 0 && (uint16_t)(check->follow->loads - from) < FOLLOW_LOADS;

	return check->shown && known &&
	       report(check, kind, pc, &check->follow->load[from & (FOLLOW_LOADS - 1)]);
}

enum heapcheck_verdict follow_meet_write(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs)
{
	const uint64_t start = regs->rsi, size = regs->rdx < OUTPUT_MAX ? regs->rdx : OUTPUT_MAX;
	const struct follow *thread = tracee->check_follow;
	struct follow_memory memory;

	if (thread && thread->state.general[RDX])
		return follow_report(
			   check, CHECK_LENGTH, regs->rip, thread->state.general_from[RDX])
			   ? HEAPCHECK_SHOWS
			   : HEAPCHECK_GOES_ON;
	follow_memory(&memory, check, tracee);
	memory.step.regs = regs;
	for (uint64_t i = 0; check->follow && check->shown && i < size; i++) {
		if (!undefined_at(check, start + i))
			continue;
		return follow_report(check, CHECK_OUTPUT, regs->rip,
			   load_of(&memory, start + i, start, regs->rdx))
			   ? HEAPCHECK_SHOWS
			   : HEAPCHECK_GOES_ON;
	}
	return HEAPCHECK_GOES_ON;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

void follow_made(struct heapcheck *check, uint64_t start, uint64_t size)
{
	follow_mark(check, start, size < FOLLOW_ROOM_MAX ? size : FOLLOW_ROOM_MAX);
	drop_carried(check->follow, start, size);
}

void follow_keep(struct heapcheck *check, const struct heapblock *old, const uint64_t argument[2],
    struct follow_kept *kept)
{
	*kept = (struct follow_kept){0};
	if (!check->follow)
		return;
	kept->all = !old && argument[0];
	if (!old)
		return;
	kept->size = old->size < argument[1] ? old->size : argument[1];
	if (kept->size > FOLLOW_ROOM_MAX)
		kept->size = FOLLOW_ROOM_MAX;
	kept->undefined = malloc(kept->size + 1);
	kept->all = !kept->undefined;
	for (uint64_t i = 0; kept->undefined && i < kept->size; i++)
		kept->undefined[i] = undefined_at(check, old->start + i);
}

void follow_put_back(struct heapcheck *check, uint64_t start, struct follow_kept *kept)
{
	const struct heapblock *block = heapblocks_find(&check->blocks, start);

	if (kept->all && block)
		heapshadow_mark(&check->shadow, start, start + block->size, SHADOW_CLEAR);
	for (uint64_t i = 0; block && kept->undefined && i < kept->size; i++) {
		uint8_t *at = heapshadow_of(&check->shadow, start + i);

		if (at)
			*at = kept->undefined[i];
	}
	free(kept->undefined);
	kept->undefined = NULL;
}
