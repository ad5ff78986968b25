/*
 * For each access, without touching the flags:
 *     mov [rcx slot], rcx; lea rcx, [operand]; movzx ecx, cx; movzx ecx, byte [table + rcx]
 *     jrcxz on; int3; on: mov rcx, [rcx slot]
 * At the int3 the tracee leaves the cache, and the hardware steps the instruction. Where an address
 * is not so easily told, an int3 alone asks us; unless it touches what is watched, the tracee goes
 * on behind it.
 *
 * Of a string instruction that asks, a second copy follows, which runs the repetitions that come
 * before what is watched:
 *     int3; jmp over; rep movsb; int3; over:
 *
 * An access must never go unseen. A look too many only costs time.
 */
#include "worker/softpmu/translate/watchcode.h"

#include "worker/softpmu/translate/conditioncode.h"
#include "worker/softpmu/translate/sequences.h"

enum { SIB_NONE = 4, SIB_NO_BASE = 5 };

/* rdfsbase rcx; lea rcx, [rcx + register * scale + displacement] */
static void put_segment_address(
    struct emitter *e, const struct access *access, uint8_t index, uint8_t scale)
{
	enum { RCX = 1, RSP = 4 };
	uint8_t base = RCX;

	if (access->base == RSP)
		base = RSP, index = RCX, scale = 0;
	else if (access->base != ACCESS_NO_REGISTER)
		index = access->base, scale = 0;
	EMIT(e, PLACE_AT, PLACE_RCX_SAVED, 0xf3, 0x48, 0x0f, 0xae, 0xc1);
	EMIT(e, PLACE_AT, PLACE_RCX_SAVED, (uint8_t)(0x48 | (index >> 3) << 1), 0x8d, 0x8c,
	    (uint8_t)(scale << 6 | (index & 7) << 3 | base));
	emitter_32(e, (uint32_t)access->displacement);
}

void watchcode_put_address(struct emitter *e, const struct access *access)
{
	bool has_base = access->base != ACCESS_NO_REGISTER;
	bool has_index = access->index != ACCESS_NO_REGISTER;
	uint8_t base = has_base ? access->base : SIB_NO_BASE;
	uint8_t index = has_index ? access->index : SIB_NONE;
	uint8_t scale = (uint8_t)(access->scale >= 8   ? 3
				  : access->scale >= 4 ? 2
				  : access->scale >= 2 ? 1
						       : 0);

	if (access->segment)
		return put_segment_address(e, access, index, scale);
	emitter_place(e, PLACE_AT, PLACE_RCX_SAVED);
	if (access->relative) {
		CODE(e, 0x48, 0x8d, 0x0d);
		emitter_relative(e, (uint64_t)access->displacement);
		return;
	}
	if (access->short_address)
		CODE(e, 0x67);
	CODE(e, (uint8_t)(0x48 | (index >> 3) << 1 | base >> 3), 0x8d,
	    (uint8_t)((has_base ? 2 : 0) << 6 | 1 << 3 | 4),
	    (uint8_t)(scale << 6 | (index & 7) << 3 | (base & 7)));
	emitter_32(e, (uint32_t)access->displacement);
}

void watchcode_begin_look(struct emitter *e, const struct access *access)
{
	const int saved = PLACE_RCX_SAVED;

	EMIT_SLOT(e, PLACE_AT, 0, ARENA_SLOT_RCX, STORE_RCX);
	watchcode_put_address(e, access);
	EMIT(e, PLACE_AT, saved, 0x0f, 0xb7, 0xc9); /* movzx ecx, cx */
	/* movzx ecx, byte [rcx + table] */
	EMIT_SLOT(e, PLACE_AT, saved, watches_table(access), 0x0f, 0xb6, 0x89);
	emitter_place(e, PLACE_AT, saved);
}

void watchcode_end_look(struct emitter *e)
{
	EMIT_SLOT(e, PLACE_AT, PLACE_RCX_SAVED, ARENA_SLOT_RCX, LOAD_RCX);
}

void watchcode_put_question(struct emitter *e, enum place_kind kind, int flags)
{
	CODE(e, 0xe3, 1); /* jrcxz on */
	EMIT(e, kind, PLACE_RCX_SAVED | flags, 0xcc);
}

static void put_part(struct emitter *e, const struct classified *in)
{
	EMIT(e, PLACE_AT, 0, 0xeb, (uint8_t)(in->z.length + 1));
	emitter_place(e, PLACE_PART, 0);
	sequence_copy(e, in);
	EMIT(e, PLACE_PART, 0, 0xcc);
}

void watchcode_put(struct emitter *e, const struct classified *in)
{
	const enum watch_level level = e->space->watches.level;
	struct accesses accesses;
	bool ask = watches_asks(&e->space->watches, in->address);

	if (level == WATCH_NOTHING && !ask)
		return;
	accesses_of(in->bytes, in->z.length, in->address, &accesses);
	for (unsigned i = 0; i < accesses.count; i++)
		ask |= watches_look_at(level, &accesses.list[i]) &&
		       watches_table(&accesses.list[i]) == 0;
	if (ask && conditioncode_put(e))
		return;
	if (ask) {
		sequence_question(e, PLACE_ASKS);
		if (level != WATCH_NOTHING && watches_can_part(&accesses))
			put_part(e, in);
		return;
	}
	for (unsigned i = 0; i < accesses.count; i++) {
		if (!watches_look_at(level, &accesses.list[i]))
			continue;
		watchcode_begin_look(e, &accesses.list[i]);
		watchcode_put_question(e, PLACE_AT, PLACE_LEAVES);
		watchcode_end_look(e);
	}
}
