/*
 * See shadowcode.h.
 */
#include "worker/softpmu/translate/shadowcode.h"

#include "worker/softpmu/translate/watchcode.h"

uint32_t shadowcode_begin(struct emitter *e, uint32_t table, const struct access *access)
{
	const int saved = PLACE_RCX_SAVED, both = PLACE_BOTH_SAVED;
	uint32_t on;

	EMIT_SLOT(e, PLACE_AT, 0, ARENA_SLOT_RCX, STORE_RCX);
	watchcode_put_address(e, access);
	EMIT_SLOT(e, PLACE_AT, saved, ARENA_SLOT_ADDRESS, STORE_RCX);
	EMIT_SLOT(
	    e, PLACE_AT, saved, ARENA_SLOT_ADDRESS + ARENA_SHADOW_BITS / 8, 0x0f, 0xb7, 0x0c, 0x25);
	EMIT_SLOT(e, PLACE_AT, saved, table, 0x48, 0x8b, 0x0c, 0xcd);
	EMIT(e, PLACE_AT, saved, 0xe3, 0); /* jrcxz on */
	on = e->offset - 1;
	EMIT_SLOT(e, PLACE_AT, saved, ARENA_SLOT_RAX, STORE_RAX);
	EMIT(e, PLACE_AT, both, 0x48, 0x89, 0xc8);			    /* mov rax, rcx */
	EMIT_SLOT(e, PLACE_AT, both, ARENA_SLOT_ADDRESS, 0x8b, 0x0c, 0x25); /* mov ecx, [slot] */
	EMIT(e, PLACE_AT, both, 0x48, 0x8d, 0x04, 0x08); /* lea rax, [rax + rcx] */
	return on;
}

void shadowcode_end(struct emitter *e, uint32_t on)
{
	EMIT_SLOT(e, PLACE_AT, PLACE_BOTH_SAVED, ARENA_SLOT_RAX, LOAD_RAX);
	emitter_set_jump(e, on);
	EMIT_SLOT(e, PLACE_AT, PLACE_RCX_SAVED, ARENA_SLOT_RCX, LOAD_RCX);
}

uint32_t shadowcode_piece(uint32_t size)
{
	return size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
}

/* rcx: the shadow of `size` bytes from rax + at on. */
static void put_load(struct emitter *e, uint32_t at, uint32_t size)
{
	const uint8_t offset = (uint8_t)at;

	if (size >= 8)
		EMIT(e, PLACE_LOOKS, PLACE_BOTH_SAVED, 0x48, 0x8b, 0x48, offset); /* mov rcx */
	else if (size >= 4)
		EMIT(e, PLACE_LOOKS, PLACE_BOTH_SAVED, 0x8b, 0x48, offset); /* mov ecx */
	else if (size >= 2)
		EMIT(e, PLACE_LOOKS, PLACE_BOTH_SAVED, 0x0f, 0xb7, 0x48, offset); /* a word */
	else
		EMIT(e, PLACE_LOOKS, PLACE_BOTH_SAVED, 0x0f, 0xb6, 0x48, offset); /* a byte */
}

void shadowcode_put_question(struct emitter *e, uint32_t size)
{
	for (uint32_t at = 0; at < size; at += shadowcode_piece(size - at)) {
		put_load(e, at, size - at);
		EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, 0xe3, 1); /* jrcxz next */
		EMIT(e, PLACE_CHECKS, PLACE_BOTH_SAVED, 0xcc);
	}
}

/* Behind each load: jrcxz next; jmp ask. And behind the last: jmp over; ask: int3; over: */
void shadowcode_put_one_question(struct emitter *e, uint32_t size)
{
	enum { PIECES_MAX = 64 / 8 + 3 };
	uint32_t asks[PIECES_MAX], count = 0;

	for (uint32_t at = 0; at < size && count < PIECES_MAX; at += shadowcode_piece(size - at)) {
		put_load(e, at, size - at);
		EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, 0xe3, 2);
		EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, 0xeb, 0);
		asks[count++] = e->offset - 1;
	}
	EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, 0xeb, 1);
	while (count > 0)
		emitter_set_jump(e, asks[--count]);
	EMIT(e, PLACE_CHECKS, PLACE_BOTH_SAVED, 0xcc);
}
