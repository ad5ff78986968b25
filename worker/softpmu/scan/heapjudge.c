/*
 * Judges one instruction exactly: the code in the cache only says that it may touch something
 * wrong. It must never show a finding twice.
 */
#include "worker/softpmu/base/masks.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/cache/space.h"
#include "worker/softpmu/calls/copies.h"
#include "worker/softpmu/calls/slots.h"
#include "worker/softpmu/base/addressset.h"
#include "worker/softpmu/scan/heapcheck.h"
#include "worker/softpmu/scan/poolblocks.h"
#include "worker/softpmu/traps/tracees.h"
#include "worker/x86/classify.h"
#include "worker/x86/decode.h"
#include "worker/x86/instruction.h"

enum { GROUP = 4 }; /* so many vectors the C library reads before it looks at any of them */

#define RANGE_MAX (1ull << 32)

static uint64_t key_of(uint64_t pc, uint64_t site, enum check_kind kind)
{
	const uint64_t key = (pc * 31 + site) * 31 + (uint64_t)kind;

	return key ? key : 1;
}

/* Whether it is new, and there is room for it. */
static bool note(struct heapcheck *check, struct space *space, uint64_t pc, uint64_t key)
{
	uint16_t *hits = &check->hits[pc * 0x9e3779b97f4a7c15ull >> 40 & (CHECK_HITS - 1)];

	if (addressset_add(check->seen, CHECK_SEEN, &check->seen_count, key))
		return true;
	if (++*hits >= CHECK_HITS_MAX) {
		heapcheck_exempt(check, space, pc);
		*hits = 0;
	}
	return false;
}

static bool is_string(uint8_t byte)
{
	return (byte >= 0xa4 && byte <= 0xa7) || (byte >= 0xaa && byte <= 0xaf);
}

static bool is_repeated_string(const uint8_t *bytes)
{
	const unsigned rex = (bytes[1] & 0xf0) == 0x40;

	return (bytes[0] == 0xf2 || bytes[0] == 0xf3) && is_string(bytes[1 + rex]);
}

/* At once, or later: see heapcheck_judge_place. */
enum heapcheck_verdict heapcheck_show(struct heapcheck *check, struct tracee *tracee, uint64_t pc)
{
	enum { BEFORE = 3, LONG = 3, SHORT = 2 };
	uint8_t bytes[BEFORE + LONG] = {0};

	memory_read_some(tracee->tid, pc - BEFORE, bytes, sizeof bytes);
	if (is_repeated_string(bytes + BEFORE)) {
		tracee->check_due = pc + (is_string(bytes[BEFORE + 1]) ? SHORT : LONG);
		heapcheck_ask_at(check, tracee->space, tracee->check_due);
		return HEAPCHECK_LEAVES;
	}
	if (is_repeated_string(bytes) || is_repeated_string(bytes + BEFORE - SHORT)) {
		tracee->check_due = pc;
		return HEAPCHECK_STEPS;
	}
	return HEAPCHECK_SHOWS;
}

/* The block that is meant, of malloc's or of a named allocator's. */
static struct poolblock block_of(
    const struct heapcheck *check, enum check_kind kind, uint64_t address)
{
	static const enum heapblocks_where where[] = {
	    [SHADOW_CLEAR] = HEAPBLOCKS_IN_LIVE,
	    [SHADOW_OUTSIDE] = HEAPBLOCKS_BESIDE,
	    [SHADOW_FREED] = HEAPBLOCKS_IN_FREED,
	};
	const uint8_t shadow = heapshadow_at(&check->shadow, address);
	const struct heapblock *block = kind == CHECK_FREE || kind == CHECK_RESIZE
					    ? heapblocks_find(&check->blocks, address)
					    : NULL;
	const struct poolblock *pool;

	if (!block)
		block = heapblocks_near(&check->blocks, address,
		    shadow < sizeof where / sizeof *where ? where[shadow] : HEAPBLOCKS_IN_LIVE);
	pool = pools_near(check->pools, address, block);
	if (pool)
		return *pool;
	if (!block)
		return (struct poolblock){.name = POOLBLOCK_NONE};
	return (struct poolblock){.start = block->start,
	    .size = block->size,
	    .site = block->site,
	    .made = block->made,
	    .dropped = block->dropped,
	    .name = POOLBLOCK_NONE};
}

enum heapcheck_verdict heapcheck_report(struct heapcheck *check, struct tracee *tracee,
    enum check_kind kind, uint64_t pc, uint64_t address, uint64_t start, uint64_t size)
{
	struct check_table *table = &check->table;
	struct poolblock block;

	if (!check->shown || tracee->check_due)
		return HEAPCHECK_GOES_ON;
	block = block_of(check, kind, address);
	if (!note(check, tracee->space, pc, key_of(pc, block.site, kind)))
		return HEAPCHECK_GOES_ON;
	table->found++;
	table->kind = (uint64_t)kind;
	table->pc = pc;
	table->address = address;
	table->start = start;
	table->size = size;
	table->block = block.start;
	table->block_size = block.size;
	table->block_state = !block.start    ? CHECK_NO_BLOCK
			     : block.dropped ? CHECK_FREED
					     : CHECK_LIVE;
	table->made = block.made;
	table->dropped = block.dropped;
	table->maker = block.name == POOLBLOCK_NONE ? 0 : block.name + 1u;
	table->called = table->foreign = 0;
	return heapcheck_show(check, tracee, pc);
}

/* Where the vectors may begin of which the C library has read this one before it has looked at any:
 * an aligned group, the four from an aligned one on, or, with a mask, two. On one page. */
static uint64_t begin_of_vectors(const struct access *access, uint64_t start)
{
	enum { PAGE = 4096, SMALLEST = 16 };
	const uint64_t size = access->size, page = start & ~(uint64_t)(PAGE - 1);
	const uint64_t before = size == SMALLEST	     ? GROUP * size
				: accesses_is_masked(access) ? size
							     : 0;
	const uint64_t group = start & ~(GROUP * size - 1);

	if (start - page < before)
		return page;
	return start - before < group ? start - before : group;
}

/* A load that may read beyond a block, because nothing is made of those bytes: a vector of the C
 * library's functions for strings, or an aligned one, which cannot leave its page. */
static bool is_overread(struct heapcheck *check, struct space *space, uint64_t pc,
    const struct access *access, uint64_t start, uint64_t end)
{
	const uint64_t size = access->size, group = GROUP * size;

	if (!access->reads || access->writes || size < 16 || access->kind != ACCESS_PLAIN)
		return false;
	if (heapcheck_is_library_vector(check, pc, access)) {
		if (!heapshadow_has_clear(&check->shadow, begin_of_vectors(access, start),
			((end - 1) | (group - 1)) + 1))
			return false;
		heapcheck_exempt(check, space, pc);
		return true;
	}
	return start % size == 0 && heapshadow_has_clear(&check->shadow, start, start + 1);
}

/* strcat and others look for a zero in a word by sums with such a constant. */
static bool holds_string_constant(const struct user_regs_struct *regs)
{
	for (unsigned i = 0; i < FLOW_REGISTERS; i++) {
		switch (decode_register(regs, i)) {
		case 0xfefefefefefefeff:
		case 0x0101010101010101:
		case 0x8080808080808080:
			return true;
		}
	}
	return false;
}

bool heapcheck_reads_ahead(const struct heapcheck *check, const struct access *access,
    uint64_t start, const struct user_regs_struct *regs, uint64_t *first)
{
	enum { WORD = 8, FOUR = 4, NEXT = 2 * FOUR };
	const bool by_one = access->size == 1 && access->base != ACCESS_NO_REGISTER &&
			    access->index == ACCESS_NO_REGISTER && access->displacement > 0 &&
			    access->displacement < NEXT && start % FOUR != 0 &&
			    decode_register(regs, access->base) % FOUR == 0;
	const bool as_a_whole =
	    access->size == WORD && start % WORD == 0 && holds_string_constant(regs);

	*first = by_one ? start & ~(uint64_t)(FOUR - 1) : start;
	return (by_one || as_a_whole) && access->reads && !access->writes &&
	       access->kind == ACCESS_PLAIN && heapcheck_is_library(check, regs->rip);
}

static bool is_word_overread(const struct heapcheck *check, const struct access *access,
    uint64_t start, const struct user_regs_struct *regs)
{
	uint64_t first;

	return heapcheck_reads_ahead(check, access, start, regs, &first) &&
	       heapshadow_has_clear(&check->shadow, first, first + 1);
}

/* movlps, vmovq and the like: functions of the C library for strings read a part of a vector, too.
 */
static bool loads_part_of_vector(const uint8_t *bytes, size_t length)
{
	struct decoded decoded;
	struct piece piece;

	return instruction_decode(bytes, length, &decoded) &&
	       decoded.instruction.operand_count_visible > 0 &&
	       decoded.operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       instruction_piece(decoded.operands[0].reg.value, &piece) && piece.vector;
}

/* is_overread of those. */
static bool is_part_overread(struct heapcheck *check, struct space *space, uint64_t pc,
    const uint8_t *bytes, size_t length, uint64_t start)
{
	if (!heapcheck_is_library(check, pc) || !loads_part_of_vector(bytes, length) ||
	    !heapshadow_has_clear(&check->shadow, start & ~(uint64_t)(GROUP * 16 - 1), start + 1))
		return false;
	heapcheck_exempt(check, space, pc);
	return true;
}

enum { CALLS = 2, JUMPS = 4, NO_CALL = 0 };

/* Of an instruction that calls, or jumps to, what an operand in memory says. */
static unsigned way_through(const uint8_t *bytes, size_t length)
{
	struct classified in;

	if (!classify(0, bytes, length, &in))
		return NO_CALL;
	return in.control == CONTROL_CALL_TO   ? CALLS
	       : in.control == CONTROL_JUMP_TO ? JUMPS
					       : NO_CALL;
}

/* It may be a call of a function that copies. */
static enum heapcheck_verdict judge_copy(struct heapcheck *check, struct tracee *tracee,
    const uint8_t *bytes, size_t length, uint64_t slot, const struct user_regs_struct *regs)
{
	const uint8_t copier = slots_at(check->slots, tracee->tid, slot);
	struct check_table *table = &check->table;
	enum heapcheck_verdict verdict;
	struct copies_call call;
	uint64_t from = regs->rip;
	unsigned way;

	if (copier == CHECK_NO_COPIER || (way = way_through(bytes, length)) == NO_CALL ||
	    !copies_of(copier, tracee->tid, regs, &call) || !copies_overlap(copier, &call) ||
	    (way == JUMPS && !memory_read_word(tracee->tid, regs->rsp, &from)))
		return HEAPCHECK_GOES_ON;
	verdict = heapcheck_report(check, tracee, CHECK_OVERLAP, from, call.destination,
	    call.destination, call.destination_size);
	if (verdict != HEAPCHECK_GOES_ON) {
		table->copier = copier;
		table->source = call.source;
		table->source_size = call.source_size;
	}
	return verdict;
}

/* Where an access goes. False: that is not known, or nowhere. */
static bool span_of(const struct tracee *tracee, const struct access *access,
    const struct user_regs_struct *regs, struct heapcheck_span *span)
{
	accesses_range(access, regs, NULL, access->counted, &span->start, &span->end);
	span->selected = 0;
	if (span->end <= span->start || span->end - span->start > RANGE_MAX)
		return false;
	return !accesses_is_masked(access) ||
	       (masks_select(tracee->tid, access, &span->selected) && span->selected);
}

/* The first byte that it must not touch, or its end. */
static uint64_t first_wrong(
    const struct heapcheck *check, const struct access *access, const struct heapcheck_span *span)
{
	uint64_t selected = span->selected, wrong;
	unsigned first, count;

	if (!accesses_is_masked(access))
		return heapshadow_first(&check->shadow, span->start, span->end);
	while (accesses_next_run(&selected, &first, &count)) {
		wrong = heapshadow_first(
		    &check->shadow, span->start + first, span->start + first + count);
		if (wrong < span->start + first + count)
			return wrong;
	}
	return span->end;
}

struct heapcheck_span heapcheck_touched(
    const struct access *access, const struct heapcheck_span *span)
{
	struct heapcheck_span it = *span;

	if (!accesses_is_masked(access))
		return it;
	it.start += (unsigned)__builtin_ctzll(span->selected);
	it.end = span->start + 64 - (unsigned)__builtin_clzll(span->selected);
	return it;
}

/* The code of the instruction at rip. */
struct code {
	uint8_t bytes[DECODE_INSTRUCTION_MAX];
	size_t length;
};

static enum heapcheck_verdict judge_access(struct heapcheck *check, struct tracee *tracee,
    const struct access *access, const struct code *code, const struct user_regs_struct *regs)
{
	enum heapcheck_verdict verdict;
	struct heapcheck_span span, touched;
	uint64_t wrong;

	if (!heapcheck_is_meant(access) || !span_of(tracee, access, regs, &span))
		return HEAPCHECK_GOES_ON;
	wrong = first_wrong(check, access, &span);
	if (wrong == span.end && access->writes) {
		verdict = heapreturns_judge(
		    check, tracee, access, &span, code->bytes, code->length, regs);
		if (verdict != HEAPCHECK_GOES_ON)
			return verdict;
	}
	if (wrong == span.end || is_word_overread(check, access, span.start, regs) ||
	    is_overread(check, tracee->space, regs->rip, access, span.start, span.end) ||
	    is_part_overread(
		check, tracee->space, regs->rip, code->bytes, code->length, span.start))
		return HEAPCHECK_GOES_ON;
	touched = heapcheck_touched(access, &span);
	return heapcheck_report(check, tracee, access->writes ? CHECK_WRITE : CHECK_READ, regs->rip,
	    wrong, touched.start, touched.end - touched.start);
}

enum heapcheck_verdict heapcheck_judge_accesses(
    struct heapcheck *check, struct tracee *tracee, const struct user_regs_struct *regs)
{
	struct code code;
	struct accesses accesses;
	enum heapcheck_verdict verdict = HEAPCHECK_GOES_ON;

	code.length = memory_read_code(tracee->tid, regs->rip, code.bytes, sizeof code.bytes);
	if (code.length == 0)
		return HEAPCHECK_GOES_ON;
	accesses_of(code.bytes, code.length, regs->rip, &accesses);
	for (unsigned i = 0; i < accesses.count && verdict == HEAPCHECK_GOES_ON; i++) {
		const struct access *access = &accesses.list[i];

		if (access->relative && access->reads)
			verdict = judge_copy(check, tracee, code.bytes, code.length,
			    (uint64_t)access->displacement, regs);
		if (verdict == HEAPCHECK_GOES_ON)
			verdict = judge_access(check, tracee, access, &code, regs);
	}
	return verdict;
}
