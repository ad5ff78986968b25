/*
 * For each access, without touching the flags:
 *     mov [rcx slot], rcx; lea rcx, [operand]; mov [address slot], rcx
 *     movzx ecx, word [address slot + 3]; mov rcx, [shadows + 8 * rcx]; jrcxz on
 *     mov [rax slot], rax; mov rax, rcx; mov ecx, [address slot]; lea rax, [rax + rcx]
 *     for each eight bytes of the access, or fewer: mov rcx, [rax + 8 * i]; jrcxz next; int3; next:
 *     mov rax, [rax slot]; on: mov rcx, [rcx slot]
 * Most accesses are not to the heap, and go the short way. Behind the int3, which asks, it goes on.
 *
 * The low 24 bits of an address are its place in a segment of the shadow, and the next 16 that of
 * the segment in the table. What has the same bits there as the heap and is elsewhere asks in vain.
 */
#include "worker/softpmu/translate/checkcode.h"

#include "worker/softpmu/translate/sequences.h"
#include "worker/softpmu/translate/watchcode.h"

enum { RCX = 1, PIECE = 8 };

struct look {
	struct emitter *e;
	int pending;
	uint64_t original;
};

#define PUT(l, kind, flags, ...)                                                                   \
	do {                                                                                       \
		emitter_place((l)->e, kind, (l)->pending | (flags), (l)->original);                \
		CODE((l)->e, __VA_ARGS__);                                                         \
	} while (0)

/* An instruction whose operand ends with the address of a slot. */
#define PUT_SLOT(l, kind, flags, slot, ...)                                                        \
	do {                                                                                       \
		PUT(l, kind, flags, __VA_ARGS__);                                                  \
		emitter_slot((l)->e, slot);                                                        \
	} while (0)

/* rcx: the shadow of `size` bytes from rax + at on. */
static void put_load(const struct look *l, uint32_t at, uint32_t size)
{
	const int both = PLACE_RCX_SAVED | PLACE_RAX_SAVED;
	const uint8_t offset = (uint8_t)at;

	if (size >= 8)
		PUT(l, PLACE_LOOKS, both, 0x48, 0x8b, 0x48, offset); /* mov rcx, [rax + n] */
	else if (size >= 4)
		PUT(l, PLACE_LOOKS, both, 0x8b, 0x48, offset); /* mov ecx, [rax + n] */
	else if (size >= 2)
		PUT(l, PLACE_LOOKS, both, 0x0f, 0xb7, 0x48, offset); /* movzx ecx, word */
	else
		PUT(l, PLACE_LOOKS, both, 0x0f, 0xb6, 0x48, offset); /* movzx ecx, byte */
}

static uint32_t piece_of(uint32_t size)
{
	return size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
}

static void put_pieces(const struct look *l, uint32_t size)
{
	const int both = PLACE_RCX_SAVED | PLACE_RAX_SAVED;

	for (uint32_t at = 0; at < size; at += piece_of(size - at)) {
		put_load(l, at, size - at);
		PUT(l, PLACE_AT, both, 0xe3, 1); /* jrcxz next */
		PUT(l, PLACE_CHECKS, both, 0xcc);
	}
}

static void put_look(const struct look *l, const struct access *access, uint32_t size)
{
	const int saved = PLACE_RCX_SAVED, both = PLACE_RCX_SAVED | PLACE_RAX_SAVED;
	uint32_t on;

	PUT_SLOT(l, PLACE_AT, 0, ARENA_SLOT_RCX, 0x48, 0x89, 0x0c, 0x25);
	emitter_place(l->e, PLACE_AT, l->pending | saved, l->original);
	watchcode_put_address(l->e, access);
	PUT_SLOT(l, PLACE_AT, saved, ARENA_SLOT_ADDRESS, 0x48, 0x89, 0x0c, 0x25);
	PUT_SLOT(
	    l, PLACE_AT, saved, ARENA_SLOT_ADDRESS + ARENA_SHADOW_BITS / 8, 0x0f, 0xb7, 0x0c, 0x25);
	PUT_SLOT(l, PLACE_AT, saved, ARENA_SHADOWS, 0x48, 0x8b, 0x0c, 0xcd);
	PUT(l, PLACE_AT, saved, 0xe3, 0); /* jrcxz on */
	on = l->e->offset - 1;
	PUT_SLOT(l, PLACE_AT, saved, ARENA_SLOT_RAX, 0x48, 0x89, 0x04, 0x25);
	PUT(l, PLACE_AT, both, 0x48, 0x89, 0xc8);			   /* mov rax, rcx */
	PUT_SLOT(l, PLACE_AT, both, ARENA_SLOT_ADDRESS, 0x8b, 0x0c, 0x25); /* mov ecx, [slot] */
	PUT(l, PLACE_AT, both, 0x48, 0x8d, 0x04, 0x08); /* lea rax, [rax + rcx] */
	put_pieces(l, size);
	PUT_SLOT(l, PLACE_AT, both, ARENA_SLOT_RAX, 0x48, 0x8b, 0x04, 0x25);
	emitter_set_jump(l->e, on);
	PUT_SLOT(l, PLACE_AT, saved, ARENA_SLOT_RCX, 0x48, 0x8b, 0x0c, 0x25);
}

/* Of repetitions that end with their count: the last one. */
static void put_look_at_last(const struct look *l, const struct access *access, uint32_t size)
{
	struct access last = *access;

	if (!access->counted || size > PIECE || access->index != ACCESS_NO_REGISTER)
		return;
	last.index = RCX;
	last.scale = (uint8_t)size;
	last.displacement -= size;
	put_look(l, &last, size);
}

bool checkcode_asks(const struct space *space, uint64_t address)
{
	return space->watches.check_number &&
	       space->watches.ways->asks(space->watches.check, address);
}

void checkcode_put(struct emitter *e, const struct classified *in, bool pending, uint32_t body)
{
	const struct look look = {e, pending ? PLACE_PENDING : 0, in->address};
	const struct watches *watches = &e->space->watches;
	struct accesses accesses;

	if (watches->check_number == 0)
		return;
	if (watches->ways->asks(watches->check, in->address))
		sequence_question(e, PLACE_CHECKS, look.pending, in->address, body);
	accesses_of(in->bytes, in->z.length, in->address, &accesses);
	for (unsigned i = 0; i < accesses.count; i++) {
		const struct access *access = &accesses.list[i];
		const uint32_t size = watches->ways->looks_at(watches->check, in->address, access);

		if (size == 0 || size > 64)
			continue;
		put_look(&look, access, size);
		put_look_at_last(&look, access, size);
	}
}
