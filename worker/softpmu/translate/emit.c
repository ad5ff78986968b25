/*
 * The translator: reads original code block by block, plans where to count each block's branch, and
 * writes the translation with sequences.c. Blocks follow each other as control falls through them.
 * Some of their targets are translated along with them. Must never translate code that codepages.c
 * does not give out.
 */
#include "worker/softpmu/translate/emit.h"

#include "worker/softpmu/base/address.h"
#include "worker/x86/flagwriter.h"
#include "worker/softpmu/translate/conditioncode.h"
#include "worker/softpmu/cache/revive.h"
#include "worker/softpmu/translate/sequences.h"
#include "worker/softpmu/translate/accesscode.h"
#include "worker/softpmu/translate/changecode.h"
#include "worker/softpmu/translate/checkcode.h"
#include "worker/softpmu/translate/linecode.h"
#include "worker/softpmu/translate/racecode.h"
#include "worker/softpmu/translate/returncode.h"
#include "worker/softpmu/translate/watchcode.h"

enum {
	BLOCK_INSTRUCTIONS = 48,
	BLOCK_BYTES = BLOCK_INSTRUCTIONS * 15,
	LOOP_INSTRUCTIONS = 16, /* a longer round takes longer than counting it */
	TRIP_BLOCKS = 96,	/* translated at a time */
	ROOM_CODE = 2 << 20,	/* more than a trip needs */
	ROOM_LITERALS = 10240,	/* the same: at most two for an instruction */
	ROOM_ENTRIES = 4096,
	NO_COUNTER = -1,
};

struct source {
	struct classified in[BLOCK_INSTRUCTIONS];
	uint8_t bytes[BLOCK_BYTES];
	int count;
	size_t length;
	bool changes;	      /* the program can write to it */
	enum control control; /* of the last instruction */
	int counter; /* the instruction before which the branch is counted, or NO_COUNTER */
	bool by_flags;
};

/* In reach from anywhere in the part? */
static bool in_reach(const struct emitter *e, uint64_t target)
{
	int64_t from_start = (int64_t)(target - e->base);
	int64_t from_end = from_start - ARENA_CODE_SIZE;

	return from_start == (int32_t)from_start && from_end == (int32_t)from_end;
}

/* Whether the instruction itself runs in the cache, so that something can be put before it. */
static bool runs_in_cache(enum control control)
{
	switch (control) {
	case CONTROL_ON:
	case CONTROL_BRANCH:
	case CONTROL_LOOP:
	case CONTROL_JUMP:
	case CONTROL_CALL:
	case CONTROL_JUMP_TO:
	case CONTROL_CALL_TO:
	case CONTROL_RETURN:
	case CONTROL_FLAGS:
		return true;
	case CONTROL_IN_PLACE:
	case CONTROL_RR_CALL:
	case CONTROL_NATIVE:
		return false;
	}
	return false;
}

static bool can_copy(const struct emitter *e, const struct classified *in)
{
	return !classify_is_rip_relative(in) ||
	       in_reach(e, in->address + in->z.length + (uint64_t)in->z.raw.disp.value);
}

/* A jump to where no program's memory can be is the hardware's. */
static bool goes_out(const struct classified *in)
{
	switch (in->control) {
	case CONTROL_BRANCH:
	case CONTROL_LOOP:
	case CONTROL_JUMP:
	case CONTROL_CALL:
		return !address_is_users(classify_target(in));
	case CONTROL_ON:
	case CONTROL_JUMP_TO:
	case CONTROL_CALL_TO:
	case CONTROL_RETURN:
	case CONTROL_FLAGS:
	case CONTROL_IN_PLACE:
	case CONTROL_RR_CALL:
	case CONTROL_NATIVE:
		return false;
	}
	return false;
}

/* Whether passes of this instruction are to be counted, and cannot be in the cache. */
static bool is_counted_outside(const struct emitter *e, const struct classified *in)
{
	const struct condition *condition = watches_condition(&e->space->watches, in->address);

	return condition && condition->counts &&
	       (in->control != CONTROL_ON || !conditioncode_is_used(&e->space->watches, condition));
}

/*
 * Decodes a block. If the code can change, the block is checked when it begins, and ends with any
 * instruction that may write to it.
 */
static void read_block(struct emitter *e, uint64_t original, struct source *source)
{
	size_t have = codepages_read(e->space->pages, e->tid, original, source->bytes,
	    sizeof source->bytes, &source->changes);

	source->count = 0;
	source->length = 0;
	source->control = CONTROL_ON;
	while (source->count < BLOCK_INSTRUCTIONS && source->control == CONTROL_ON) {
		struct classified *in = &source->in[source->count];

		if (!classify(original + source->length, source->bytes + source->length,
			have - source->length, in))
			return;
		if (!can_copy(e, in) || goes_out(in) ||
		    (watches_asks(&e->space->watches, in->address) &&
			(!runs_in_cache(in->control) || is_counted_outside(e, in))))
			in->control = CONTROL_NATIVE;
		if ((checkcode_asks(e->space, in->address) ||
			linecode_counts(e->space, in->address)) &&
		    !runs_in_cache(in->control))
			in->control = CONTROL_NATIVE;
		if (in->control == CONTROL_RR_CALL && e->part != 0)
			in->control = CONTROL_NATIVE; /* its return address has to be low */
		source->control = in->control;
		source->length += in->z.length;
		source->count++;
		if (source->control == CONTROL_RR_CALL)
			source->length++; /* the ret */
		if (source->changes && classify_writes_memory(in))
			return;
	}
}

/* Decides where to count, and how. */
static void plan_counter(struct source *source)
{
	int last = source->count - 1;

	source->counter = NO_COUNTER;
	source->by_flags = false;
	if (source->control != CONTROL_BRANCH && source->control != CONTROL_LOOP)
		return;
	for (int i = last - 1; i >= 0; i--) {
		if (flagwriter_is(source->in[i].bytes, source->in[i].z.length)) {
			source->counter = i;
			source->by_flags = true;
			return;
		}
	}
	source->counter = last > 0 ? last - 1 : last;
}

/*
 * A body must have room for a jump to another one. If the original is only a jump, which leaves no
 * code, the body stands for the jump and never for its target, because the target's translation may
 * be out of force.
 */
static void pad(struct emitter *e, const struct classified *last, uint64_t next)
{
	if (e->offset - e->body >= BLOCK_HEAD)
		return;
	sequence_nothing(e, e->offset == e->body ? last->address : next);
}

/*
 * The last instruction. True if the program continues at *next, whose code has to follow; *next may
 * be any address, 0 too.
 */
static bool put_last(struct emitter *e, const struct classified *in, uint64_t *next)
{
	uint32_t number;

	*next = in->address + in->z.length;
	switch (in->control) {
	case CONTROL_ON:
		return true;
	case CONTROL_BRANCH:
		sequence_branch(e, in);
		return true;
	case CONTROL_LOOP:
		sequence_loop(e, in);
		return true;
	case CONTROL_JUMP:
		emitter_place(e, PLACE_AT, 0);
		*next = classify_target(in);
		return true;
	case CONTROL_CALL:
		sequence_call(e, in);
		*next = classify_target(in);
		return true;
	case CONTROL_JUMP_TO:
		sequence_indirect(e, in);
		return false;
	case CONTROL_CALL_TO:
		sequence_indirect_call(e, in);
		return false;
	case CONTROL_RETURN:
		sequence_return(e, in);
		return false;
	case CONTROL_IN_PLACE:
		sequence_in_place(e, in);
		return false;
	case CONTROL_RR_CALL:
		sequence_rr_call(e, in);
		return false;
	case CONTROL_FLAGS:
		sequence_pop_flags(e, in);
		return true;
	case CONTROL_NATIVE:
		pad(e, in, in->address); /* no link may be where a body's head is */
		sequence_jump(e, in->address);
		number = blocks_entry(e->space->blocks, in->address, e->part);
		if (number == 0 || !blocks_set_native(e->space->blocks, number))
			e->space->broken = true;
		return false;
	}
	return false;
}

/* All but an instruction that ends the block in a way of its own. */
static void put_instructions(struct emitter *e, const struct source *source)
{
	e->pending = 0;
	for (int i = 0; i < source->count; i++) {
		const struct classified *in = &source->in[i];

		e->original = in->address;
		if (runs_in_cache(in->control)) {
			linecode_put(e);
			checkcode_put(e, in);
			racecode_put(e, in);
			changecode_put(e, in);
			watchcode_put(e, in);
			accesscode_put(e, in);
		}
		if (in->control == CONTROL_RR_CALL)
			returncode_put(e, in);
		if (i == source->counter)
			sequence_count(e, source->by_flags);
		if (i == source->count - 1 && in->control != CONTROL_ON)
			break;
		if (i != source->counter)
			emitter_place(e, PLACE_AT, 0);
		sequence_copy(e, in);
		e->counted = e->lined = e->noted = false;
	}
}

/*
 * A block that branches to itself is written twice, one round after the other, so that not every
 * round waits for the same counter. The second copy is entered from the first one only.
 */
static bool is_loop(const struct source *source)
{
	const struct classified *last = &source->in[source->count - 1];

	return source->control == CONTROL_BRANCH && !source->changes &&
	       source->count <= LOOP_INSTRUCTIONS && classify_target(last) == source->in[0].address;
}

/* One block. True if the program continues at *next, whose code has to follow. */
static bool put_block(struct emitter *e, uint32_t number, uint64_t *next)
{
	static struct source source;
	struct blocks *blocks = e->space->blocks;
	bool goes_on;

	e->original = blocks_get(blocks, number)->original;
	e->pending = 0;
	e->body = e->offset;
	read_block(e, e->original, &source);
	if (source.count == 0 || (source.count == 1 && source.control == CONTROL_NATIVE)) {
		if (!blocks_set_native(blocks, number))
			e->space->broken = true;
		return false;
	}
	e->space->translated++;
	plan_counter(&source);
	if (source.changes)
		sequence_check(e, source.bytes, source.length);
	put_instructions(e, &source);
	if (is_loop(&source)) {
		sequence_branch_past(e, &source.in[source.count - 1]);
		put_instructions(e, &source);
	}
	goes_on = put_last(e, &source.in[source.count - 1], next);
	e->lined = false;
	pad(e, &source.in[source.count - 1], *next);
	if (!blocks_set_body(blocks, number, e->body, (uint16_t)source.length,
		revive_hash(source.bytes, source.length, source.changes)))
		e->space->broken = true;
	return goes_on;
}

/* The entry for an address in this part; 0 if it is in another part, or if there is no room. */
static uint32_t entry_here(struct emitter *e, uint64_t original)
{
	int part = arena_part_near(&e->space->arena, original);

	if (part < 0 || (uint8_t)part != e->part)
		return 0;
	return blocks_entry(e->space->blocks, original, e->part);
}

static void begin_in(struct emitter *e, uint8_t part)
{
	e->part = part;
	e->memory = e->space->arena.part[part].memory;
	e->base = e->space->arena.part[part].address;
	e->offset = e->space->used[part];
}

/* Blocks one after the other, as control falls through them. */
static void put_blocks(struct emitter *e, uint32_t number)
{
	for (;;) {
		uint64_t next = 0;
		bool goes_on = put_block(e, number, &next);

		e->blocks_left--;
		if (blocks_get(e->space->blocks, number)->native) {
			sequence_jump(e, blocks_get(e->space->blocks, number)->original);
			return;
		}
		if (!goes_on)
			return;
		number = entry_here(e, next);
		if (number == 0 || blocks_get(e->space->blocks, number)->body ||
		    blocks_get(e->space->blocks, number)->native || e->blocks_left <= 0 ||
		    revive_block(e->space, e->tid, number)) {
			sequence_jump(e, next);
			return;
		}
	}
}

/* The code at `original`, in a part that is near enough. */
static void put_code(struct emitter *e, const struct wish *wish)
{
	int part = arena_part_near(&e->space->arena, wish->original);
	struct block_entry *entry;
	uint32_t number;

	if (part < 0)
		return;
	begin_in(e, (uint8_t)part);
	number = entry_here(e, wish->original);
	if (number == 0)
		return;
	entry = blocks_get(e->space->blocks, number);
	if (!entry->body && !entry->native)
		revive_block(e->space, e->tid, number);
	if (entry->native || (entry->body && (entry->lookup || !wish->lookup)))
		return;
	if (wish->lookup && !entry->lookup)
		sequence_lookup(e, number);
	if (entry->body)
		sequence_jump(e, wish->original);
	else
		put_blocks(e, number);
	e->space->used[part] = e->offset;
}

static bool is_full(const struct space *space)
{
	for (int i = 0; i < ARENA_PARTS; i++) {
		if (space->used[i] > ARENA_CODE_END - ROOM_CODE)
			return true;
	}
	return space->literals > ARENA_LITERALS_MAX - ROOM_LITERALS ||
	       blocks_count(space->blocks) > BLOCKS_MAX - ROOM_ENTRIES;
}

uint32_t emit_code(struct space *space, pid_t tid, uint64_t original, bool lookup)
{
	static struct emitter e;
	int part = arena_part_near(&space->arena, original);

	if (part < 0 || space->broken)
		return 0;
	if (is_full(space))
		space_flush(space);
	e.space = space;
	e.tid = tid;
	e.blocks_left = TRIP_BLOCKS;
	e.count = 0;
	sequence_wish(&e, original, lookup);
	for (e.first = 0; e.first < e.count && e.blocks_left > 0 && !space->broken; e.first++)
		put_code(&e, &e.queue[e.first]);
	return space->broken ? 0 : blocks_entry(space->blocks, original, (uint8_t)part);
}
