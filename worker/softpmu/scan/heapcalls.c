/*
 * What the calls of the allocator make of the heap. A call that is met twice, because the tracee
 * stood before its first instruction in between, must never count twice.
 */
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/calls/slots.h"
#include "worker/softpmu/scan/follow.h"
#include "worker/softpmu/scan/heapcheck.h"
#include "worker/softpmu/traps/tracees.h"

/* glibc keeps the size of a block, and three flags, in the eight bytes before it. */
enum {
	HEADER = 8,
	FLAG_MAPPED = 2,
	FLAG_ARENA = 4,
	FLAGS = 7,
	PAGE = 4096,
};

#define BREAK_MAX  (1ull << 40)	 /* farther behind the program's data, it is no part of these */
#define ARENA_SIZE (64ull << 20) /* of another arena than the first; it begins at a multiple */

/* ---- What belongs to the heap ---------------------------------------------------------------- */

/* Where what was never written is looked for, no place is wrong. */
static void mark(struct heapcheck *check, uint64_t start, uint64_t end, uint8_t value)
{
	heapshadow_mark(&check->shadow, start, end, check->follow ? SHADOW_CLEAR : value);
}

static void clear_live(void *context, const struct heapblock *block)
{
	struct heapcheck *check = context;

	if (!block->dropped)
		heapshadow_mark(
		    &check->shadow, block->start, block->start + block->size, SHADOW_CLEAR);
}

/* Nothing there is in a block, but for those that were made before it was known to be the heap's.
 */
static void mark_outside(struct heapcheck *check, uint64_t start, uint64_t end)
{
	heapshadow_mark(&check->shadow, start, end, SHADOW_OUTSIDE);
	if (check->uncovered)
		heapblocks_visit(&check->blocks, clear_live, check);
}

/* Marks what of [start, end) is not yet. */
static void cover(struct heapcheck *check, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < check->covers; i++) {
		if (start < check->covered[i].start || start > check->covered[i].end)
			continue;
		if (end > check->covered[i].end) {
			mark_outside(check, check->covered[i].end, end);
			check->covered[i].end = end;
		}
		return;
	}
	if (check->covers == CHECK_COVERED)
		return;
	for (size_t i = 0; i < check->covers; i++) {
		if (check->covered[i].start > start && check->covered[i].start < end)
			end = check->covered[i].start;
	}
	range_add(check->covered, &check->covers, CHECK_COVERED, start, end);
	mark_outside(check, start, end);
}

static uint64_t mapping_end(pid_t tid, uint64_t address)
{
	struct mappings mappings = {0};
	const struct mapping *mapping;
	uint64_t end = 0;

	if (!mappings_read(&mappings, tid))
		return 0;
	mapping = mappings_find(&mappings, address);
	end = mapping ? mapping->end : 0;
	mappings_free(&mappings);
	return end;
}

static bool is_covered(const struct heapcheck *check, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < check->covers; i++) {
		if (start >= check->covered[i].start && end <= check->covered[i].end)
			return true;
	}
	return false;
}

/* The memory around a block of glibc's, as far as it is the heap's for certain. */
static void cover_around(
    struct heapcheck *check, pid_t tid, const struct heapblock *block, uint64_t header)
{
	const uint64_t begin = block->start - 2 * HEADER, end = begin + (header & ~(uint64_t)FLAGS);
	const uint64_t base = block->start & ~(ARENA_SIZE - 1);
	uint64_t limit;

	if (check->follow || (header & FLAG_MAPPED) || is_covered(check, begin, end))
		return;
	limit = check->whole ? mapping_end(tid, block->start) : 0;
	if (limit < end)
		check->uncovered = true;
	else if ((header & FLAG_ARENA) && limit <= base + ARENA_SIZE)
		cover(check, base, limit);
	else if (!(header & FLAG_ARENA) && !check->by_program && check->break_start &&
		 begin >= check->break_start && begin < check->break_start + BREAK_MAX)
		cover(check, begin, limit);
	else
		check->uncovered = true;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

/* Where the room of a block ends, and with it the bytes that nobody has asked for. */
static uint64_t end_of_room(const struct heapblock *block, uint64_t header)
{
	const uint64_t end = block->start + block->size;

	if (block->mapped_end)
		return block->mapped_end;
	return header ? block->start + (header & ~(uint64_t)FLAGS) - HEADER : (end + 7) & ~7ull;
}

static void make(struct heapcheck *check, pid_t tid, const struct check_call *call, uint64_t start,
    uint64_t size)
{
	struct heapblock block = {.start = start,
	    .size = size,
	    .site = call->back,
	    .ways = call->ways,
	    .made = call->number};
	uint64_t header = 0, room;

	if (start == 0 || start + size < start)
		return;
	if ((call->function & HEAPCHECK_GLIBC) && !memory_read_word(tid, start - HEADER, &header))
		header = 0;
	if (header & FLAG_MAPPED) {
		block.mapped_end = start - 2 * HEADER + (header & ~(uint64_t)FLAGS);
		check->table.state |= CHECK_HAS_MAPPED;
	}
	if (header)
		cover_around(check, tid, &block, header);
	if (!heapblocks_add(&check->blocks, &block))
		check->table.state |= CHECK_LOST;
	pools_note_made(check->pools, start, size);
	mark(check, start, start + size, SHADOW_CLEAR);
	room = end_of_room(&block, header);
	if (header)
		mark(check, start - HEADER, start, SHADOW_OUTSIDE);
	if (room > start + size)
		mark(check, start + size, room, SHADOW_OUTSIDE);
	if (check->follow && (call->function & ~HEAPCHECK_GLIBC) != HEAPCHECK_CALLOC)
		follow_made(check, start, size);
}

/* The block is free as soon as the call has begun. */
static void drop(struct heapcheck *check, struct heapblock *block, uint64_t number)
{
	block->dropped = number;
	pools_note_dropped(check->pools, block->start, block->size, number);
	mark(check, block->start, block->start + block->size, SHADOW_FREED);
}

/* The memory is the kernel's again. */
static void unmapped(struct heapcheck *check, const struct heapblock *block)
{
	if (block->mapped_end)
		heapshadow_mark(
		    &check->shadow, block->start - 2 * HEADER, block->mapped_end, SHADOW_CLEAR);
}

static void resized(
    struct heapcheck *check, pid_t tid, const struct check_call *call, uint64_t start)
{
	struct heapblock *old = heapblocks_find(&check->blocks, call->argument[0]);
	struct follow_kept kept;

	if (start == 0 && call->argument[1] != 0)
		return; /* it has failed */
	if (old && old->dropped)
		old = NULL;
	follow_keep(check, old, call->argument, &kept);
	if (old && call->argument[0] != start) {
		drop(check, old, call->number);
		unmapped(check, old);
	} else if (old) {
		mark(check, old->start, old->start + old->size, SHADOW_OUTSIDE);
	}
	make(check, tid, call, start, call->argument[1]);
	follow_put_back(check, start, &kept);
}

static void usable(struct heapcheck *check, uint64_t start, uint64_t room)
{
	struct heapblock *block = heapblocks_find(&check->blocks, start);

	if (!block || block->dropped || room <= block->size || block->mapped_end)
		return;
	if (!check->follow)
		heapshadow_mark(&check->shadow, start, start + room, SHADOW_CLEAR);
	pools_note_made(check->pools, start, room);
	block->size = room;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static void end_call(
    struct heapcheck *check, pid_t tid, const struct check_call *call, uint64_t result)
{
	const struct heapblock *block = heapblocks_find(&check->blocks, call->argument[0]);
	uint64_t start;

	switch ((enum heapcheck_function)(call->function & ~HEAPCHECK_GLIBC)) {
	case HEAPCHECK_MALLOC:
		return make(check, tid, call, result, call->argument[0]);
	case HEAPCHECK_CALLOC:
		return make(check, tid, call, result, call->argument[0] * call->argument[1]);
	case HEAPCHECK_REALLOC:
		return resized(check, tid, call, result);
	case HEAPCHECK_FREE:
		if (block && block->dropped == call->number)
			unmapped(check, block);
		return;
	case HEAPCHECK_ALIGNED:
		return make(check, tid, call, result, call->argument[1]);
	case HEAPCHECK_MEMALIGN:
		if ((uint32_t)result == 0 && memory_read_word(tid, call->argument[0], &start))
			make(check, tid, call, start, call->argument[2]);
		return;
	case HEAPCHECK_USABLE:
		return usable(check, call->argument[0], result);
	case HEAPCHECK_WRITE:
		return;
	}
}

/* What is freed or resized has to be a block. One from before the check began is not known. */
static enum heapcheck_verdict take_back(struct heapcheck *check, struct tracee *tracee)
{
	const struct check_call *call = &tracee->check_call;
	const int function = call->function & ~HEAPCHECK_GLIBC;
	struct heapblock *block = heapblocks_find(&check->blocks, call->argument[0]);

	if ((function != HEAPCHECK_FREE && function != HEAPCHECK_REALLOC) || call->argument[0] == 0)
		return HEAPCHECK_GOES_ON;
	if (block && !block->dropped) {
		if (function == HEAPCHECK_FREE)
			drop(check, block, call->number);
		if (tracee->pool_depth && tracee->pool_call[0].block - block->start < block->size)
			pools_note_wrapper(check);
		return HEAPCHECK_GOES_ON;
	}
	if ((!block && !check->whole) || check->follow || heapcheck_is_own(check, call->back) ||
	    pools_have_told(tracee))
		return HEAPCHECK_GOES_ON;
	return heapcheck_report(check, tracee,
	    function == HEAPCHECK_FREE ? CHECK_FREE : CHECK_RESIZE, call->back, call->argument[0],
	    call->argument[0], 0);
}

bool heapcheck_show_wanted(struct heapcheck *check, uint64_t number)
{
	struct check_table *table = &check->table;
	size_t i = 0;

	while (i < check->wanted_count && check->wanted[i] != number)
		i++;
	if (i == check->wanted_count)
		return false;
	table->kind = CHECK_CALL;
	table->made = number;
	table->called = 0;
	table->found++;
	return true;
}

static bool is_code(void *context, uint64_t word)
{
	return codepages_touches_code(context, word, word + 1);
}

/* Only where blocks are told by their ways. A word that is left over from an earlier call tells two
 * ways apart that are one: whoever shows them joins what looks alike. */
static struct check_ways_to ways_to(
    const struct heapcheck *check, const struct tracee *tracee, uint64_t sp)
{
	uint64_t words[CHECK_WAY_BYTES / sizeof(uint64_t)];
	size_t got;

	if (!check->blocks_only || !tracee->space)
		return (struct check_ways_to){0};
	got = memory_read_some(tracee->tid, sp, words, sizeof words);
	if (got < sizeof *words)
		return (struct check_ways_to){0};
	return heapsites_ways(words, got / sizeof *words, is_code, tracee->space->pages);
}

static enum heapcheck_verdict begin_call(struct heapcheck *check, struct tracee *tracee,
    const struct user_regs_struct *regs, uint8_t function)
{
	struct check_call *call = &tracee->check_call;
	enum heapcheck_verdict verdict;

	if (call->back && regs->rsp <= call->sp)
		return HEAPCHECK_GOES_ON; /* the same once more, or one within it */
	*call = (struct check_call){.function = function,
	    .sp = regs->rsp,
	    .argument = {regs->rdi, regs->rsi, regs->rdx},
	    .number = ++check->table.calls};
	if (!memory_read_word(tracee->tid, regs->rsp, &call->back))
		return HEAPCHECK_GOES_ON;
	if (!heapcheck_ask_at(check, tracee->space, call->back)) {
		check->table.state |= CHECK_LOST;
		call->back = 0;
		return HEAPCHECK_GOES_ON;
	}
	call->ways = ways_to(check, tracee, regs->rsp);
	verdict = take_back(check, tracee);
	heapcheck_show_shadow(check, tracee);
	return heapcheck_show_wanted(check, call->number) ? HEAPCHECK_SHOWS : verdict;
}

enum heapcheck_verdict heapcheck_meet_call(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs)
{
	const struct pool_function *function = pools_function(check->pools, regs->rip);
	struct check_call *call = &tracee->check_call;

	if (call->back && regs->rip == call->back && regs->rsp == call->sp + sizeof(uint64_t)) {
		end_call(check, tracee->tid, call, regs->rax);
		call->back = 0;
		heapcheck_show_shadow(check, tracee);
	}
	pools_return(check, tracee, regs);
	pools_leave(check, tracee, regs->rsp);
	if (function)
		return pools_begin(check, tracee, function, regs);
	for (size_t i = 0; i < check->entries; i++) {
		if (check->entry[i].address != regs->rip)
			continue;
		if (check->entry[i].function == HEAPCHECK_WRITE)
			return follow_meet_write(check, tracee, regs);
		return begin_call(check, tracee, regs, check->entry[i].function);
	}
	return HEAPCHECK_GOES_ON;
}

/* ---- System calls ---------------------------------------------------------------------------- */

/* What was unmapped, or mapped anew, is not the heap's. */
static void forget(struct heapcheck *check, uint64_t start, uint64_t size)
{
	const uint64_t end = start + ((size + PAGE - 1) & ~(uint64_t)(PAGE - 1));

	if (end <= start)
		return;
	slots_forget(check->slots, start, end);
	pools_note_unmapped(check->pools, start, end);
	heapshadow_mark(&check->shadow, start, end, SHADOW_CLEAR);
	for (size_t i = 0; i < check->covers; i++) {
		if (start >= check->covered[i].end || end <= check->covered[i].start)
			continue;
		check->uncovered |= end < check->covered[i].end;
		check->covered[i].end =
		    start > check->covered[i].start ? start : check->covered[i].start;
	}
}

static void note_break(struct heapcheck *check, const struct tracee *tracee, uint64_t now)
{
	if (now >= (uint64_t)-PAGE || now == 0)
		return;
	if (!check->break_start)
		check->break_start = check->break_end = now;
	/* A call of the allocator may be over when it is noticed. */
	if (now != check->break_end && tracee->check_call.back == 0 &&
	    !is_covered(check, now - 1, now))
		check->by_program = true;
	check->break_end = now;
}

void heapcheck_note_call(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs)
{
	if (!heapcheck_is_on(check, tracee))
		return;
	switch (regs->orig_rax) {
	case SYS_munmap:
	case SYS_mremap:
		return forget(check, regs->rdi, regs->rsi);
	case SYS_madvise:
		if (check->follow)
			forget(check, regs->rdi, regs->rsi);
		return;
	case SYS_mmap:
		if (regs->r10 & MAP_FIXED)
			forget(check, regs->rdi, regs->rsi);
		else if (check->follow && regs->rax < (uint64_t)-PAGE && regs->rax % PAGE == 0)
			forget(check, regs->rax, regs->rsi);
		return;
	case SYS_brk:
		return note_break(check, tracee, regs->rax);
	}
}
