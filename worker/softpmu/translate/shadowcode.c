/*
 * See shadowcode.h.
 */
#include "worker/softpmu/translate/shadowcode.h"

#include "worker/softpmu/translate/watchcode.h"

/* An instruction whose operand ends with the address of a slot. */
#define PUT_SLOT(l, flags, slot, ...)                                                              \
	do {                                                                                       \
		PUT(l, PLACE_AT, flags, __VA_ARGS__);                                              \
		emitter_slot((l)->e, slot);                                                        \
	} while (0)

void shadowcode_begin(struct look *look, const struct access *access)
{
	const int saved = PLACE_RCX_SAVED, both = SHADOWCODE_BOTH;

	PUT_SLOT(look, 0, ARENA_SLOT_RCX, 0x48, 0x89, 0x0c, 0x25);
	emitter_place(look->e, PLACE_AT, look->pending | saved, look->original);
	watchcode_put_address(look->e, access);
	PUT_SLOT(look, saved, ARENA_SLOT_ADDRESS, 0x48, 0x89, 0x0c, 0x25);
	PUT_SLOT(look, saved, ARENA_SLOT_ADDRESS + ARENA_SHADOW_BITS / 8, 0x0f, 0xb7, 0x0c, 0x25);
	PUT_SLOT(look, saved, look->table, 0x48, 0x8b, 0x0c, 0xcd);
	PUT(look, PLACE_AT, saved, 0xe3, 0); /* jrcxz on */
	look->on = look->e->offset - 1;
	PUT_SLOT(look, saved, ARENA_SLOT_RAX, 0x48, 0x89, 0x04, 0x25);
	PUT(look, PLACE_AT, both, 0x48, 0x89, 0xc8);		    /* mov rax, rcx */
	PUT_SLOT(look, both, ARENA_SLOT_ADDRESS, 0x8b, 0x0c, 0x25); /* mov ecx, [slot] */
	PUT(look, PLACE_AT, both, 0x48, 0x8d, 0x04, 0x08);	    /* lea rax, [rax + rcx] */
}

void shadowcode_end(struct look *look)
{
	PUT_SLOT(look, SHADOWCODE_BOTH, ARENA_SLOT_RAX, 0x48, 0x8b, 0x04, 0x25);
	emitter_set_jump(look->e, look->on);
	PUT_SLOT(look, PLACE_RCX_SAVED, ARENA_SLOT_RCX, 0x48, 0x8b, 0x0c, 0x25);
}

uint32_t shadowcode_piece(uint32_t size)
{
	return size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
}

/* rcx: the shadow of `size` bytes from rax + at on. */
static void put_load(const struct look *look, uint32_t at, uint32_t size)
{
	const uint8_t offset = (uint8_t)at;

	if (size >= 8)
		PUT(look, PLACE_LOOKS, SHADOWCODE_BOTH, 0x48, 0x8b, 0x48, offset); /* mov rcx */
	else if (size >= 4)
		PUT(look, PLACE_LOOKS, SHADOWCODE_BOTH, 0x8b, 0x48, offset); /* mov ecx */
	else if (size >= 2)
		PUT(look, PLACE_LOOKS, SHADOWCODE_BOTH, 0x0f, 0xb7, 0x48, offset); /* a word */
	else
		PUT(look, PLACE_LOOKS, SHADOWCODE_BOTH, 0x0f, 0xb6, 0x48, offset); /* a byte */
}

void shadowcode_put_question(const struct look *look, uint32_t size)
{
	for (uint32_t at = 0; at < size; at += shadowcode_piece(size - at)) {
		put_load(look, at, size - at);
		PUT(look, PLACE_AT, SHADOWCODE_BOTH, 0xe3, 1); /* jrcxz next */
		PUT(look, PLACE_CHECKS, SHADOWCODE_BOTH, 0xcc);
	}
}

/* Behind each load: jrcxz next; jmp ask. And behind the last: jmp over; ask: int3; over: */
void shadowcode_put_one_question(const struct look *look, uint32_t size)
{
	enum { PIECES_MAX = 64 / 8 + 3 };
	uint32_t asks[PIECES_MAX], count = 0;

	for (uint32_t at = 0; at < size && count < PIECES_MAX; at += shadowcode_piece(size - at)) {
		put_load(look, at, size - at);
		PUT(look, PLACE_AT, SHADOWCODE_BOTH, 0xe3, 2);
		PUT(look, PLACE_AT, SHADOWCODE_BOTH, 0xeb, 0);
		asks[count++] = look->e->offset - 1;
	}
	PUT(look, PLACE_AT, SHADOWCODE_BOTH, 0xeb, 1);
	while (count > 0)
		emitter_set_jump(look->e, asks[--count]);
	PUT(look, PLACE_CHECKS, SHADOWCODE_BOTH, 0xcc);
}
