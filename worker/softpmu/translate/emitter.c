/*
 * The pieces. It must never write past the room that the translator has seen to.
 */
#include "worker/softpmu/translate/emitter.h"

#include <string.h>

void emitter_put(struct emitter *e, const void *bytes, size_t length)
{
	memcpy(e->memory + e->offset, bytes, length);
	e->offset += (uint32_t)length;
}

void emitter_32(struct emitter *e, uint32_t value)
{
	emitter_put(e, &value, sizeof value);
}

void emitter_64(struct emitter *e, uint64_t value)
{
	emitter_put(e, &value, sizeof value);
}

void emitter_slot(struct emitter *e, uint32_t offset)
{
	emitter_32(e, (uint32_t)(e->space->arena.data + offset));
}

void emitter_literal(struct emitter *e, uint64_t value)
{
	uint32_t offset = ARENA_LITERALS + 8 * e->space->literals++;

	*arena_slot(&e->space->arena, offset) = value;
	emitter_slot(e, offset);
}

void emitter_relative(struct emitter *e, uint64_t target)
{
	emitter_32(e, (uint32_t)(target - (e->base + e->offset + 4)));
}

void emitter_load(struct emitter *e, size_t size)
{
	switch (size) {
	case 1:
		CODE(e, 0x0f, 0xb6, 0x00); /* movzx eax, byte [rax] */
		break;
	case 2:
		CODE(e, 0x0f, 0xb7, 0x00); /* movzx eax, word [rax] */
		break;
	case 4:
		CODE(e, 0x8b, 0x00); /* mov eax, [rax] */
		break;
	default:
		CODE(e, 0x48, 0x8b, 0x00); /* mov rax, [rax] */
	}
}

void emitter_set_jump(struct emitter *e, uint32_t at)
{
	enum { JUMP_MAX = 127 };
	const uint32_t distance = e->offset - at - 1;

	if (distance > JUMP_MAX)
		e->space->broken = true;
	e->memory[at] = (uint8_t)distance;
}

void emitter_set_displacement(struct emitter *e, uint32_t end, uint32_t target)
{
	const uint32_t displacement = target - end;

	memcpy(e->memory + end - sizeof displacement, &displacement, sizeof displacement);
}

/* Whether `original` of such a place is an instruction that is still to come. */
static bool is_before(enum place_kind kind)
{
	return kind != PLACE_AT_TARGET && kind != PLACE_PAST_CHECK && kind != PLACE_RETURNED;
}

static void add_place(struct emitter *e, uint32_t offset, enum place_kind kind, int flags,
    int distance, uint64_t original)
{
	const struct place place = {.offset = offset,
	    .kind = (uint8_t)kind & 0x1f,
	    .counted = e->counted,
	    .lined = e->lined && original == e->lined_at && is_before(kind),
	    .noted = e->noted && is_before(kind),
	    .flags = (uint8_t)flags,
	    .distance = (int16_t)distance,
	    .original = kind == PLACE_AT_TARGET ? 0 : original};

	if (!places_add(&e->space->places[e->part], &place))
		e->space->broken = true;
}

void emitter_place_at(
    struct emitter *e, uint32_t offset, enum place_kind kind, int flags, int distance)
{
	add_place(e, offset, kind, e->pending | flags, distance, e->original);
}

void emitter_place(struct emitter *e, enum place_kind kind, int flags)
{
	emitter_place_at(e, e->offset, kind, flags, 0);
}

void emitter_place_of(struct emitter *e, uint64_t original)
{
	add_place(e, e->offset, PLACE_AT, 0, 0, original);
}

uint32_t emitter_jump(struct emitter *e)
{
	EMIT(e, PLACE_AT, 0, 0xe9);
	emitter_32(e, 0);
	return e->offset;
}
