/*
 * For each access, see shadowcode.h:
 *     a load: as in checkcode.c, the int3 asks where something is undefined
 *     a store: mov qword [rax + 8 * i], 0, or fewer bytes
 *     a masked store: it asks, unless all that it may write is defined already
 * For the room that it makes on the stack, see follow/stackroom.h:
 *     mov qword [rax + i], -1, or for more than a little
 *     mov ecx, words; again: mov qword [rax + 8 * rcx - n], -1 (four times)
 *     lea rcx, [rcx - 4]; jrcxz done; jmp again; done:
 * A push or a call stores and makes room with one look.
 *
 * What is none of these asks. What is done here is done again if the tracee stops in between, and
 * is the same then.
 */
#include "worker/softpmu/translate/definecode.h"

#include "worker/softpmu/follow/stackroom.h"
#include "worker/softpmu/translate/sequences.h"
#include "worker/softpmu/translate/shadowcode.h"

enum {
	RSP = 4,
	WORD = 8,
	ACCESS_SIZE_MAX = 64,
	FEW = 64,	 /* bytes that are marked without a loop */
	ROUND = 4,	 /* words that a round of it marks */
	ROOM_MAX = 2048, /* the gap behind a segment of the shadow has room for more */
	HALF = STACKROOM_RED_ZONE / 2, /* so that all of it is within 128 bytes of rax */
};

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Sets `size` bytes, a piece, at rax + at to this. */
static void put_piece(struct emitter *e, int at, uint32_t size, uint8_t value)
{
	const uint8_t to = (uint8_t)at, v = value;

	if (size == 8)
		EMIT(e, PLACE_LOOKS, PLACE_BOTH_SAVED, 0x48, 0xc7, 0x40, to, v, v, v, v);
	else if (size == 4)
		EMIT(e, PLACE_LOOKS, PLACE_BOTH_SAVED, 0xc7, 0x40, to, v, v, v, v);
	else if (size == 2)
		EMIT(e, PLACE_LOOKS, PLACE_BOTH_SAVED, 0x66, 0xc7, 0x40, to, v, v);
	else
		EMIT(e, PLACE_LOOKS, PLACE_BOTH_SAVED, 0xc6, 0x40, to, v);
}

static void put_pieces(struct emitter *e, int at, uint32_t size, uint8_t value)
{
	for (uint32_t i = 0; i < size; i += shadowcode_piece(size - i))
		put_piece(e, at + (int)i, shadowcode_piece(size - i), value);
}

static void put_round(struct emitter *e, int at)
{
	for (int i = 1; i <= ROUND; i++)
		EMIT(e, PLACE_LOOKS, PLACE_BOTH_SAVED, 0x48, 0xc7, 0x44, 0xc8,
		    (uint8_t)(at - WORD * i), 0xff, 0xff, 0xff, 0xff);
}

/* [rax + at, rax + at + size) is undefined. */
static void put_marks(struct emitter *e, int at, uint32_t size)
{
	const uint32_t rest = size > FEW ? size % (ROUND * WORD) : size;
	const uint32_t words = (size - rest) / WORD;
	uint32_t again;

	put_pieces(e, at, rest, 0xff);
	if (words == 0)
		return;
	EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, 0xb9, (uint8_t)words, (uint8_t)(words >> 8), 0, 0);
	again = e->offset;
	put_round(e, at + (int)rest);
	EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, 0x48, 0x8d, 0x49, (uint8_t)-ROUND);
	EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, 0xe3, 2); /* jrcxz done */
	EMIT(e, PLACE_AT, PLACE_BOTH_SAVED, 0xeb, (uint8_t)(again - (e->offset + 2)));
}

/* ---- Instructions ---------------------------------------------------------------------------- */

static bool is_none(const struct access *access)
{
	return access->flushes || access->relative || access->segment ||
	       (access->base == ACCESS_NO_REGISTER && access->index == ACCESS_NO_REGISTER &&
		   access->kind == ACCESS_PLAIN);
}

static bool must_ask(const struct accesses *accesses, const struct stackroom *room)
{
	bool asks = room->by_register || room->size > ROOM_MAX;

	for (unsigned i = 0; i < accesses->count; i++) {
		const struct access *access = &accesses->list[i];

		asks |=
		    !is_none(access) && (access->kind != ACCESS_PLAIN || access->size == 0 ||
					    access->size > ACCESS_SIZE_MAX ||
					    access->displacement != (int32_t)access->displacement);
	}
	return asks;
}

static bool stores_word(const struct stackroom *room)
{
	return room->offset == -WORD - STACKROOM_RED_ZONE &&
	       (room->size == WORD || room->size == STACKROOM_RED_ZONE);
}

static bool is_pushed(const struct access *access)
{
	return access->writes && access->base == RSP && access->index == ACCESS_NO_REGISTER &&
	       access->displacement == -WORD && access->size == WORD;
}

static void put_room(struct emitter *e, const struct stackroom *room, bool pushes)
{
	const struct access access = {.base = RSP,
	    .index = ACCESS_NO_REGISTER,
	    .size = room->size,
	    .displacement = room->offset + (pushes ? HALF : 0)};
	const uint32_t on = shadowcode_begin(e, ARENA_SHADOWS, &access);

	put_marks(e, pushes ? -HALF : 0, room->size);
	if (pushes)
		put_pieces(e, HALF, WORD, 0);
	shadowcode_end(e, on);
}

static void put_access(
    struct emitter *e, const struct watches *watches, const struct access *access, bool asks)
{
	uint32_t on;

	if (asks && watches->ways->looks_at(watches->check, e->original, access) > 0) {
		on = shadowcode_begin(e, ARENA_SHADOWS, access);
		shadowcode_put_question(e, access->size);
		shadowcode_end(e, on);
	}
	if (!access->writes)
		return;
	on = shadowcode_begin(e, ARENA_SHADOWS, access);
	if (accesses_is_masked(access))
		shadowcode_put_one_question(e, access->size);
	else
		put_pieces(e, 0, access->size, 0);
	shadowcode_end(e, on);
}

void definecode_put(struct emitter *e, const struct classified *in)
{
	const struct watches *watches = &e->space->watches;
	const struct stackroom room = stackroom_of(&in->z);
	struct accesses accesses;
	bool pushes = false;

	accesses_of(in->bytes, in->z.length, in->address, &accesses);
	if (watches->ways->asks(watches->check, in->address) || must_ask(&accesses, &room)) {
		sequence_question(e, PLACE_CHECKS);
		return;
	}
	for (unsigned i = 0; i < accesses.count; i++) {
		const struct access *access = &accesses.list[i];

		if (stores_word(&room) && is_pushed(access))
			pushes = true;
		else if (!is_none(access))
			put_access(
			    e, watches, access, access->reads && in->control != CONTROL_RETURN);
	}
	if (room.size > 0)
		put_room(e, &room, pushes);
}
